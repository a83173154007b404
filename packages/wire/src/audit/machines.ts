/** Bots, discovery, directories that are synced, upgrades, and billing. */
import { auditSentence, defineAudit } from './event.ts'

const machines = 'Machines and sync'
const billing = 'Billing'

export const machineAudit = defineAudit({
  TJ001I: auditSentence(machines, 'bot.join', 'Bot joined', 'Bot {bot_name} joined by {method}'),
  TJ001E: auditSentence(machines, 'bot.join', 'Bot refused', 'Bot {bot_name} was not let in: {error}'),
  TB001I: auditSentence(machines, 'bot.create', 'Bot created', '{user} created bot {name}'),
  TB002I: auditSentence(machines, 'bot.update', 'Bot changed', '{user} changed bot {name}'),
  TB003I: auditSentence(machines, 'bot.delete', 'Bot removed', '{user} removed bot {name}'),
  TCB00W: auditSentence(
    machines,
    'cert.generation_mismatch',
    'Certificate generation mismatch',
    'Certificate generation of {user} does not match',
  ),
  TUW01I: auditSentence(
    machines,
    'upgradewindowstart.update',
    'Upgrade window moved',
    '{user} moved the upgrade window to {upgrade_window_start}',
  ),
  TDS00I: auditSentence(
    machines,
    'ssm.run',
    'Install command run',
    'Install command {command_id} succeeded on {instance_id} ({account_id}, {region})',
  ),
  TDS00W: auditSentence(
    machines,
    'ssm.run',
    'Install command failed',
    'Install command {command_id} failed on {instance_id} ({account_id}, {region})',
  ),
  TOK001I: auditSentence(machines, 'okta.groups.update', 'Okta groups synced', 'Okta groups: +{added} ~{updated} -{deleted}'),
  TOK002I: auditSentence(machines, 'okta.applications.update', 'Okta apps synced', 'Okta apps: +{added} ~{updated} -{deleted}'),
  TOK003E: auditSentence(machines, 'okta.sync.failure', 'Okta sync failed', 'Okta sync failed: {error}'),
  TOK004I: auditSentence(
    machines,
    'okta.assignment.process',
    'Okta assignment applied',
    'Okta assignment {name} ({source}, {user}) applied',
  ),
  TOK004E: auditSentence(machines, 'okta.assignment.process', 'Okta assignment failed', 'Okta assignment {name} ({source}, {user}) failed'),
  TOK005I: auditSentence(
    machines,
    'okta.assignment.cleanup',
    'Okta assignment cleaned up',
    'Okta assignment {name} ({source}, {user}) cleaned up',
  ),
  TOK005E: auditSentence(
    machines,
    'okta.assignment.cleanup',
    'Okta assignment cleanup failed',
    'Cleanup of Okta assignment {name} ({source}, {user}) failed',
  ),
  TOK006I: auditSentence(machines, 'okta.access_list.sync', 'Okta access lists synced', 'Okta access lists were synced'),
  TOK006E: auditSentence(
    machines,
    'okta.access_list.sync',
    'Okta access list sync failed',
    'Okta access lists could not be synced: {error}',
  ),
  TOK007I: auditSentence(machines, 'okta.user.sync', 'Okta users synced', 'Okta users were synced'),
  TOK007E: auditSentence(machines, 'okta.user.sync', 'Okta user sync failed', 'Okta users could not be synced: {error}'),
  TBL00I: auditSentence(billing, 'billing.create_card', 'Card added', '{user} added a card'),
  TBL01I: auditSentence(billing, 'billing.delete_card', 'Card removed', '{user} removed a card'),
  TBL02I: auditSentence(billing, 'billing.update_card', 'Card changed', '{user} changed a card'),
  /** What a server tells of an event that it does not know itself. */
  TCC00E: auditSentence('Other', 'unknown', 'Unknown event', 'Unrecognised {unknown_event|unknown_type} event ({unknown_code})'),
  TBL03I: auditSentence(billing, 'billing.update_info', 'Billing details changed', '{user} changed billing details'),
})

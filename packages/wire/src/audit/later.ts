/** What newer servers tell: this one does not, and the console shows it. */
import { auditSentence, defineAudit } from './event.ts'

const lists = 'Access requests'
const changes = 'Admin changes'
const signIn = 'Users and sign-in'

export const laterAudit = defineAudit({
  TAL001I: auditSentence(lists, 'access_list.create', 'Access list created', '{user|updated_by} created access list {name}'),
  TAL001E: auditSentence(
    lists,
    'access_list.create',
    'Access list not created',
    '{user|updated_by} could not create access list {name}: {error}',
  ),
  TAL002I: auditSentence(lists, 'access_list.update', 'Access list changed', '{user|updated_by} changed access list {name}'),
  TAL002E: auditSentence(
    lists,
    'access_list.update',
    'Access list not changed',
    '{user|updated_by} could not change access list {name}: {error}',
  ),
  TAL003I: auditSentence(lists, 'access_list.delete', 'Access list removed', '{user|updated_by} removed access list {name}'),
  TAL003E: auditSentence(
    lists,
    'access_list.delete',
    'Access list not removed',
    '{user|updated_by} could not remove access list {name}: {error}',
  ),
  TAL004I: auditSentence(lists, 'access_list.review', 'Access list reviewed', '{user|updated_by} reviewed access list {name}'),
  TAL004E: auditSentence(
    lists,
    'access_list.review',
    'Access list not reviewed',
    '{user|updated_by} could not review access list {name}: {error}',
  ),
  TAL005I: auditSentence(
    lists,
    'access_list.member.create',
    'Access list members added',
    '{user|updated_by} added members to access list {access_list_name|name}',
  ),
  TAL005E: auditSentence(
    lists,
    'access_list.member.create',
    'Access list members not added',
    '{user|updated_by} could not add members to access list {access_list_name|name}: {error}',
  ),
  TAL006I: auditSentence(
    lists,
    'access_list.member.update',
    'Access list members changed',
    '{user|updated_by} changed members of access list {access_list_name|name}',
  ),
  TAL006E: auditSentence(
    lists,
    'access_list.member.update',
    'Access list members not changed',
    '{user|updated_by} could not change members of access list {access_list_name|name}: {error}',
  ),
  TAL007I: auditSentence(
    lists,
    'access_list.member.delete',
    'Access list members removed',
    '{user|updated_by} removed members from access list {access_list_name|name}',
  ),
  TAL007E: auditSentence(
    lists,
    'access_list.member.delete',
    'Access list members not removed',
    '{user|updated_by} could not remove members from access list {access_list_name|name}: {error}',
  ),
  TAL008I: auditSentence(
    lists,
    'access_list.member.delete_all_members',
    'Access list members removed',
    '{user|updated_by} removed all members from access list {access_list_name|name}',
  ),
  TAL008E: auditSentence(
    lists,
    'access_list.member.delete_all_members',
    'Access list members not removed',
    '{user|updated_by} could not remove all members from access list {access_list_name|name}: {error}',
  ),
  T9002I: auditSentence(changes, 'role.updated', 'Role changed', '{user} changed role {name}'),
  T80002I: auditSentence(changes, 'github.updated', 'GitHub connector changed', '{user} changed GitHub connector {name}'),
  T8102I: auditSentence(changes, 'oidc.updated', 'OIDC connector changed', '{user} changed OIDC connector {name}'),
  T8202I: auditSentence(changes, 'saml.updated', 'SAML connector changed', '{user} changed SAML connector {name}'),
  TEA001I: auditSentence(changes, 'external_audit_storage.enable', 'External audit storage on', '{user} turned external audit storage on'),
  TEA002I: auditSentence(
    changes,
    'external_audit_storage.disable',
    'External audit storage off',
    '{user} turned external audit storage off',
  ),
  SRE001I: auditSentence(changes, 'secreports.audit.query.run', 'Audit query run', '{user} ran an audit query'),
  SRE002I: auditSentence(changes, 'secreports.report.run', 'Security report run', '{user} ran security report {name}'),
  T1015I: auditSentence(signIn, 'mfa_auth_challenge.create', 'Second factor asked', '{user} was asked for a second factor'),
  T1016I: auditSentence(signIn, 'mfa_auth_challenge.validate', 'Second factor shown', '{user} showed a second factor'),
  T1016W: auditSentence(signIn, 'mfa_auth_challenge.validate', 'Second factor refused', 'The second factor of {user} was refused: {error}'),
  T3003S: auditSentence('Sessions', 'port', 'Port forward ended', '{user} ended a port forward to {addr}'),
  TS021I: auditSentence('Files', 'sftp_summary', 'File copy ended', '{user} copied files with {server_hostname|server_addr|server_id}'),
})

/** Roles that every cluster starts with. Administrators may change them; only rules that no rule mentions come back. */
import { randomUUID } from 'node:crypto'
import type { ResourceKind, Verb } from '@sallyport/wire/acl.ts'
import { AppError } from '../errors.ts'
import { parseResource } from '../resources/resources.ts'
import { roleKind } from './role.ts'
import type { Role, RoleInput, RoleRule, RoleStore } from './role.ts'

const manage: Verb[] = ['list', 'create', 'read', 'update', 'delete']
const look: Verb[] = ['list', 'read']
type Rule = { resources: ResourceKind[]; verbs: Verb[]; where?: string }
const rule = (verbs: Verb[], ...resources: ResourceKind[]): Rule => ({ resources, verbs })

const everything = { '*': '*' }
/** Tells them from roles that people made. */
const presetLabels = { 'teleport.internal/resource-type': 'preset' }

const presetRoles = (): RoleInput[] => [
  {
    metadata: { name: 'editor', description: 'Edit cluster configuration', labels: presetLabels },
    spec: {
      options: { forward_agent: true, port_forwarding: true, record_session: { desktop: false } },
      allow: {
        rules: [
          rule(
            manage,
            'user',
            'role',
            'oidc',
            'saml',
            'github',
            'oidc_request',
            'saml_request',
            'github_request',
            'auth_connector',
            'cluster_auth_preference',
            'cluster_networking_config',
            'cluster_audit_config',
            'cluster_name',
            'cluster_maintenance_config',
            'session_recording_config',
            'ui_config',
            'trusted_cluster',
            'remote_cluster',
            'token',
            'connection_diagnostic',
            'db',
            'database_certificate',
            'installer',
            'login_rule',
            'saml_idp_service_provider',
            'user_group',
            'plugin',
            'okta_import_rule',
            'okta_assignment',
            'lock',
            'billing',
            'cluster_alert',
          ),
          // Asking is for those whose roles say what for.
          rule(['list', 'read', 'update', 'delete'], 'access_request'),
          rule([...manage, 'create_enroll_token', 'enroll'], 'device'),
          rule([...manage, 'use'], 'integration', 'assistant'),
          rule(look, 'db_service', 'instance'),
        ],
      },
    },
  },
  {
    metadata: { name: 'access', description: 'Reach all resources', labels: presetLabels },
    spec: {
      // No session without its record.
      options: { forward_agent: true, port_forwarding: true, record_session: { default: 'strict' } },
      allow: {
        logins: ['{{internal.logins}}'],
        node_labels: everything,
        app_labels: everything,
        kubernetes_labels: everything,
        windows_desktop_labels: everything,
        db_labels: everything,
        db_service_labels: everything,
        windows_desktop_logins: ['{{internal.windows_logins}}'],
        kubernetes_groups: ['{{internal.kubernetes_groups}}'],
        kubernetes_users: ['{{internal.kubernetes_users}}'],
        kubernetes_resources: [{ kind: 'pod', namespace: '*', name: '*' }],
        db_names: ['{{internal.db_names}}'],
        db_users: ['{{internal.db_users}}'],
        aws_role_arns: ['{{internal.aws_role_arns}}'],
        azure_identities: ['{{internal.azure_identities}}'],
        gcp_service_accounts: ['{{internal.gcp_service_accounts}}'],
        rules: [rule(look, 'event', 'instance'), { ...rule(look, 'session'), where: 'contains(session.participants, user.metadata.name)' }],
      },
    },
  },
  {
    metadata: { name: 'auditor', description: 'Review cluster events and replay sessions', labels: presetLabels },
    spec: {
      allow: {
        // A certificate needs a login; this one exists nowhere.
        logins: [`no-login-${randomUUID()}`],
        rules: [rule(look, 'session', 'event', 'session_tracker', 'cluster_alert')],
      },
    },
  },
  {
    metadata: { name: 'requester', description: 'Ask for access to resources', labels: presetLabels },
    spec: { allow: { request: { search_as_roles: ['access'] } } },
  },
  {
    metadata: { name: 'reviewer', description: 'Decide about requests for access', labels: presetLabels },
    spec: { allow: { review_requests: { roles: ['access'], preview_as_roles: ['access'] } } },
  },
]

/** As they are made for a new cluster. */
export const presetRoleList = (): Role[] => presetRoles().map((preset) => parseResource(roleKind, preset))
export const isPresetRole = (name: string): boolean => presetRoles().some(({ metadata }) => metadata.name === name)

/** Creates the presets that are missing and gives existing ones the default rules for kinds that none of their rules mentions. */
export async function ensurePresets(roles: RoleStore): Promise<void> {
  for (const preset of presetRoles()) await ensurePreset(roles, preset)
}

async function ensurePreset(roles: RoleStore, preset: RoleInput): Promise<void> {
  const existing = await roles.get(preset.metadata.name)
  try {
    if (!existing) {
      await roles.create(preset)
      return
    }
    const { allow, deny } = existing.spec
    const mentioned = new Set<string>([...allow.rules, ...deny.rules].flatMap(({ resources }) => resources))
    const missing = parseResource(roleKind, preset).spec.allow.rules.flatMap((each): RoleRule[] => {
      const left = each.resources.filter((kind) => !mentioned.has(kind))
      return left.length > 0 ? [{ ...each, resources: left }] : []
    })
    if (mentioned.has('*') || missing.length === 0) return
    await roles.update({ ...existing, spec: { ...existing.spec, allow: { ...allow, rules: [...allow.rules, ...missing] } } })
  } catch (error) {
    // Another proxy of the same cluster was first; what it wrote is the same.
    if (!(error instanceof AppError && (error.code === 'already_exists' || error.code === 'compare_failed'))) throw error
  }
}

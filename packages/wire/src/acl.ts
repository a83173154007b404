/** Access areas of the user context, resource kinds and verbs of role rules, and the mapping between the two. */
import * as z from 'zod/mini'

export const verbs = [
  'list',
  'create',
  'read',
  'readnosecrets',
  'update',
  'delete',
  'rotate',
  'use',
  'create_enroll_token',
  'enroll',
] as const
export type Verb = (typeof verbs)[number]

/** Kinds that a role rule may name; `*` in a rule means all of them. */
export const resourceKinds = [
  'user',
  'role',
  'auth_connector',
  'oidc',
  'saml',
  'github',
  'oidc_request',
  'saml_request',
  'github_request',
  'trusted_cluster',
  'remote_cluster',
  'token',
  'access_request',
  'access_plugin_data',
  'session',
  'ssh_session',
  'session_tracker',
  'event',
  'lock',
  'node',
  'app',
  'app_server',
  'db',
  'db_server',
  'db_service',
  'kube_cluster',
  'kube_server',
  'windows_desktop',
  'windows_desktop_service',
  'user_group',
  'cert_authority',
  'cluster_auth_preference',
  'cluster_networking_config',
  'session_recording_config',
  'cluster_audit_config',
  'cluster_name',
  'cluster_maintenance_config',
  'cluster_alert',
  'ui_config',
  'installer',
  'instance',
  'connection_diagnostic',
  'database_certificate',
  'device',
  'download',
  'license',
  'billing',
  'login_rule',
  'plugin',
  'integration',
  'assistant',
  'saml_idp_service_provider',
  'okta_import_rule',
  'okta_assignment',
  'usage_event',
  'network_restrictions',
  'mfa_device',
  'proxy',
  'auth_server',
  'tunnel',
] as const
export type ResourceKind = (typeof resourceKinds)[number]

/** Area of the user context → resource kind whose verbs it shows. */
export const areaKinds = {
  recordedSessions: 'session',
  activeSessions: 'ssh_session',
  authConnectors: 'auth_connector',
  roles: 'role',
  users: 'user',
  trustedClusters: 'trusted_cluster',
  events: 'event',
  tokens: 'token',
  nodes: 'node',
  appServers: 'app_server',
  dbServers: 'db_server',
  db: 'db',
  kubeServers: 'kube_server',
  desktops: 'windows_desktop',
  accessRequests: 'access_request',
  connectionDiagnostic: 'connection_diagnostic',
  download: 'download',
  license: 'license',
  integrations: 'integration',
  deviceTrust: 'device',
  lock: 'lock',
  samlIdpServiceProvider: 'saml_idp_service_provider',
  plugins: 'plugin',
  billing: 'billing',
  assist: 'assistant',
} as const satisfies Record<string, ResourceKind>
export type AclArea = keyof typeof areaKinds
export const aclAreas = Object.keys(areaKinds) as AclArea[]

/** Permission flag of an area → verb of the kind. `use` means something for integrations (and the assistant) only. */
export const flagVerbs = { list: 'list', read: 'read', edit: 'update', create: 'create', remove: 'delete', use: 'use' } as const
export type AclFlag = keyof typeof flagVerbs
export const aclFlags = Object.keys(flagVerbs) as AclFlag[]

const flag = z._default(z.boolean(), false)
/** One area; flags that the peer leaves out are false. */
export const accessWire = z.object({ list: flag, read: flag, edit: flag, create: flag, remove: flag, use: flag })
export type Access = z.output<typeof accessWire>
export const noAccess: Access = { list: false, read: false, edit: false, create: false, remove: false, use: false }

const area = z._default(accessWire, noAccess)
const areas = Object.fromEntries(aclAreas.map((name) => [name, area])) as Record<AclArea, typeof area>

/** The wire names the three flags without "Enabled"; both spellings are accepted, absent means true. */
export const userAclWire = z.object({
  ...areas,
  clipboard: z.optional(z.boolean()),
  clipboardSharingEnabled: z.optional(z.boolean()),
  desktopSessionRecording: z.optional(z.boolean()),
  desktopSessionRecordingEnabled: z.optional(z.boolean()),
  directorySharing: z.optional(z.boolean()),
  directorySharingEnabled: z.optional(z.boolean()),
})
export type UserAclWire = z.output<typeof userAclWire>

export type UserAcl = Record<AclArea, Access> & {
  clipboardSharingEnabled: boolean
  desktopSessionRecording: boolean
  directorySharing: boolean
}

export function toUserAcl(wire: UserAclWire): UserAcl {
  const {
    clipboard,
    clipboardSharingEnabled,
    desktopSessionRecording,
    desktopSessionRecordingEnabled,
    directorySharing,
    directorySharingEnabled,
    ...rest
  } = wire
  return {
    ...rest,
    clipboardSharingEnabled: clipboard ?? clipboardSharingEnabled ?? true,
    desktopSessionRecording: desktopSessionRecording ?? desktopSessionRecordingEnabled ?? true,
    directorySharing: directorySharing ?? directorySharingEnabled ?? true,
  }
}

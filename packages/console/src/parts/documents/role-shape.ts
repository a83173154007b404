/** The role document as the editor knows it. */
import { resourceKinds, verbs } from '@sallyport/wire/acl.ts'
import { limitDuration } from '../validators/documents.ts'
import type { Shape } from './shape.ts'

const internal = [
  'logins',
  'windows_logins',
  'kubernetes_groups',
  'kubernetes_users',
  'db_names',
  'db_users',
  'db_roles',
  'aws_role_arns',
  'azure_identities',
  'gcp_service_accounts',
]
const template = (name: string): string => `{{internal.${name}}}`
export const templates = [...internal.map(template), '{{external.groups}}', '{{external["claim"]}}', '{{email.local(external.email)}}']

const note = <S extends Shape>(text: string, shape: S): S => ({ ...shape, note: text })
const text = (values?: readonly string[]): Shape => ({ is: 'text', ...(values && { values }) })
const oneOf = (...values: string[]): Shape => ({ is: 'text', values, only: true })
const texts = (values?: readonly string[]): Shape => ({ is: 'list', single: true, of: text(values) })
const flag: Shape = { is: 'flag' }
const number: Shape = { is: 'number' }
const duration: Shape = { is: 'text', whyNot: limitDuration, values: ['30m', '1h', '8h', '24h'] }
const labels: Shape = { is: 'named', of: texts(['*', '{{external.team}}']) }
const expression: Shape = { is: 'text', values: ['labels["env"] == "prod"', 'contains(user.spec.traits["team"], labels["team"])'] }
const list = (of: Shape): Shape => ({ is: 'list', of })

const lists: Record<string, Shape> = {
  logins: note('Accounts on servers that people may become', texts([template('logins'), '{{external.logins}}'])),
  db_names: note('Databases on a server that may be opened', texts([template('db_names'), '*'])),
  db_users: note('Database accounts that people may become', texts([template('db_users'), '*'])),
  db_roles: note('Roles given to database accounts made for a session', texts([template('db_roles')])),
  kubernetes_groups: texts([template('kubernetes_groups')]),
  kubernetes_users: texts([template('kubernetes_users')]),
  windows_desktop_logins: texts([template('windows_logins')]),
  desktop_groups: texts(),
  aws_role_arns: texts([template('aws_role_arns')]),
  azure_identities: texts([template('azure_identities')]),
  gcp_service_accounts: texts([template('gcp_service_accounts')]),
  host_groups: note('Groups of accounts made for a session', texts()),
  host_sudoers: note('Lines for sudoers of accounts made for a session', texts()),
}

export const labelFields = {
  node_labels: 'Servers',
  app_labels: 'Applications',
  db_labels: 'Databases',
  kubernetes_labels: 'Kubernetes clusters',
  windows_desktop_labels: 'Windows desktops',
  db_service_labels: 'Database services',
  cluster_labels: 'Trusted clusters',
  group_labels: 'User groups',
} as const

const selectors = Object.fromEntries(
  Object.entries(labelFields).flatMap(([field, title]) => [
    [field, note(`${title} with all of these labels`, labels)],
    [`${field}_expression`, note(`${title} whose labels make this true`, expression)],
  ]),
)

export const kubernetesKinds = [
  'pod',
  'secret',
  'configmap',
  'namespace',
  'service',
  'serviceaccount',
  'kube_node',
  'persistentvolume',
  'persistentvolumeclaim',
  'deployment',
  'replicaset',
  'statefulset',
  'daemonset',
  'clusterrole',
  'kube_role',
  'clusterrolebinding',
  'rolebinding',
  'cronjob',
  'job',
  'certificatesigningrequest',
  'ingress',
  '*',
]

export const whereExamples = [
  'contains(session.participants, user.metadata.name)',
  'contains(ssh_session.participants, user.metadata.name)',
  'equals(resource.metadata.name, "name")',
  'contains(user.spec.roles, "auditor")',
]

const claims = list({ is: 'map', fields: { claim: text(), value: text(), roles: texts() }, required: ['claim', 'value', 'roles'] })
const sessionKinds = list(oneOf('ssh', 'k8s', 'db', 'app', 'desktop', '*'))
const sessionModes = list(oneOf('observer', 'peer', 'moderator', '*'))

const conditions: Record<string, Shape> = {
  ...lists,
  ...selectors,
  kubernetes_resources: list({
    is: 'map',
    required: ['kind', 'name'],
    fields: {
      kind: text(kubernetesKinds),
      namespace: text(['*']),
      name: text(['*']),
      verbs: texts(['*', 'get', 'list', 'exec']),
      api_group: text(),
    },
  }),
  rules: note(
    'What may be done with the cluster itself',
    list({
      is: 'map',
      required: ['resources', 'verbs'],
      fields: {
        resources: texts(['*', ...resourceKinds]),
        verbs: texts(['*', ...verbs]),
        where: note('Only where this is true', text(whereExamples)),
        actions: texts(['log("info", "text")']),
      },
    }),
  ),
  request: note('Roles and resources that people may ask for', {
    is: 'map',
    fields: {
      roles: texts(),
      claims_to_roles: claims,
      search_as_roles: texts(),
      suggested_reviewers: texts(),
      annotations: { is: 'named', of: texts() },
      thresholds: list({ is: 'map', fields: { name: text(), filter: text(), approve: number, deny: number } }),
      max_duration: duration,
      reason: { is: 'map', fields: { mode: oneOf('optional', 'required'), prompt: text() } },
      kubernetes_resources: { is: 'any' },
    },
  }),
  review_requests: note('Requests that people may decide', {
    is: 'map',
    fields: { roles: texts(), claims_to_roles: claims, where: text(), preview_as_roles: texts() },
  }),
  impersonate: { is: 'map', fields: { users: texts(), roles: texts(), where: text() } },
  require_session_join: list({
    is: 'map',
    required: ['name'],
    fields: {
      name: text(),
      filter: text(),
      kinds: sessionKinds,
      modes: sessionModes,
      count: number,
      on_leave: oneOf('terminate', 'pause'),
    },
  }),
  join_sessions: list({
    is: 'map',
    required: ['name'],
    fields: { name: text(), roles: texts(['*']), kinds: sessionKinds, modes: sessionModes },
  }),
}

const recording = oneOf('best_effort', 'strict')
const options: Record<string, Shape> = {
  max_session_ttl: note('How long a sign-in lasts at most', duration),
  client_idle_timeout: note('Disconnect after so long without input', duration),
  disconnect_expired_cert: note('Disconnect when the sign-in ends', flag),
  forward_agent: flag,
  port_forwarding: flag,
  ssh_port_forwarding: {
    is: 'map',
    fields: { local: { is: 'map', fields: { enabled: flag } }, remote: { is: 'map', fields: { enabled: flag } } },
  },
  ssh_file_copy: flag,
  permit_x11_forwarding: flag,
  cert_format: oneOf('standard', 'oldssh'),
  enhanced_recording: list(oneOf('command', 'disk', 'network')),
  max_connections: number,
  max_sessions: number,
  max_kubernetes_connections: number,
  lock: note('What happens when locks cannot be checked', oneOf('strict', 'best_effort')),
  require_session_mfa: note('Ask for the second factor at every session', text(['true', 'false', 'hardware_key', 'hardware_key_touch'])),
  device_trust_mode: oneOf('', 'off', 'optional', 'required'),
  request_access: oneOf('optional', 'reason', 'always'),
  request_prompt: text(),
  record_session: { is: 'map', fields: { default: recording, ssh: recording, desktop: flag } },
  desktop_clipboard: flag,
  desktop_directory_sharing: flag,
  create_host_user: flag,
  create_host_user_mode: oneOf('off', 'keep', 'drop', 'insecure-drop'),
  create_desktop_user: flag,
  create_db_user: flag,
  create_db_user_mode: oneOf('off', 'keep', 'best_effort_drop'),
  pin_source_ip: note('The sign-in works from its own address only', flag),
  cert_extensions: list({ is: 'map', fields: { type: oneOf('ssh'), mode: oneOf('extension'), name: text(), value: text() } }),
  idp: { is: 'map', fields: { saml: { is: 'map', fields: { enabled: flag } } } },
}

export const metadataShape: Shape = {
  is: 'map',
  required: ['name'],
  fields: {
    name: text(),
    description: text(),
    labels: { is: 'named', of: text() },
    expires: text(),
    revision: text(),
    namespace: text(),
    id: { is: 'any' },
  },
}

export const roleShape: Shape = {
  is: 'map',
  required: ['kind', 'metadata', 'spec'],
  fields: {
    kind: oneOf('role'),
    version: oneOf('v3', 'v4', 'v5', 'v6', 'v7'),
    sub_kind: text(),
    metadata: metadataShape,
    spec: {
      is: 'map',
      fields: {
        options: { is: 'map', fields: options },
        allow: note('What people with this role may do', { is: 'map', fields: conditions }),
        deny: note('What nobody with this role may do, whatever else they hold', { is: 'map', fields: conditions }),
      },
    },
  },
}

export const newRole = `kind: role
version: v7
metadata:
  name: ''
spec:
  allow:
    logins: ['{{internal.logins}}']
    node_labels:
      env: dev
  deny: {}
  options:
    max_session_ttl: 8h0m0s
`

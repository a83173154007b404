/** Which parts of a role the form shows, and how. */
import { AppWindow, Container, Database, Monitor, Network, Server } from 'lucide-react'
import { resourceKinds, verbs } from '@sallyport/wire/acl.ts'
import type { FieldSpec } from '../../parts/document-editor/form.ts'
import type { Path } from '../../parts/documents/yaml-text.ts'
import { allowedRoleArn, limitDuration, noWildcard } from '../../parts/validators/documents.ts'
import type { IconType } from '../../ui/Icon.tsx'

export type Side = 'allow' | 'deny'
export type TabName = 'role' | 'resources' | 'rules' | 'options' | 'requests'

const text = (name: string, label: string, mono = true): Part => ({ name, label, as: 'text', mono })
const texts = (name: string, label: string, more: Partial<Extract<FieldSpec, { as: 'texts' }>> = {}): Part => ({
  name,
  label,
  as: 'texts',
  ...more,
})
const labels = (name: string, label = 'Labels'): Part => ({ name, label, as: 'labels' })

type WithoutPath<T> = T extends unknown ? Omit<T, 'path'> : never
type Part = { name: string } & WithoutPath<FieldSpec>

export interface ResourceSection {
  id: string
  title: string
  /** In the middle of a sentence. */
  noun: string
  icon: IconType
  parts: readonly Part[]
}

export const resourceSections: readonly ResourceSection[] = [
  {
    id: 'servers',
    title: 'Servers',
    noun: 'servers',
    icon: Server,
    parts: [
      labels('node_labels'),
      text('node_labels_expression', 'Label expression'),
      texts('logins', 'Logins', { suggestions: ['{{internal.logins}}', 'root', 'ubuntu', 'ec2-user'], whyNot: noWildcard }),
      texts('host_groups', 'Host groups'),
      texts('host_sudoers', 'Sudoers lines'),
    ],
  },
  {
    id: 'kubernetes',
    title: 'Kubernetes',
    noun: 'Kubernetes',
    icon: Container,
    parts: [
      labels('kubernetes_labels'),
      text('kubernetes_labels_expression', 'Label expression'),
      texts('kubernetes_groups', 'Groups', { suggestions: ['{{internal.kubernetes_groups}}', 'system:masters', 'viewers'] }),
      texts('kubernetes_users', 'Users', { suggestions: ['{{internal.kubernetes_users}}'] }),
    ],
  },
  {
    id: 'apps',
    title: 'Applications',
    noun: 'applications',
    icon: AppWindow,
    parts: [
      labels('app_labels'),
      text('app_labels_expression', 'Label expression'),
      texts('aws_role_arns', 'AWS role ARNs', { suggestions: ['{{internal.aws_role_arns}}'], whyNot: allowedRoleArn }),
      texts('azure_identities', 'Azure identities', { suggestions: ['{{internal.azure_identities}}'], whyNot: noWildcard }),
      texts('gcp_service_accounts', 'Google service accounts', {
        suggestions: ['{{internal.gcp_service_accounts}}'],
        whyNot: noWildcard,
      }),
    ],
  },
  {
    id: 'databases',
    title: 'Databases',
    noun: 'databases',
    icon: Database,
    parts: [
      labels('db_labels'),
      text('db_labels_expression', 'Label expression'),
      texts('db_names', 'Names', { suggestions: ['{{internal.db_names}}', '*'] }),
      texts('db_users', 'Users', { suggestions: ['{{internal.db_users}}', '*'] }),
      texts('db_roles', 'Roles', { suggestions: ['{{internal.db_roles}}'], whyNot: noWildcard }),
      labels('db_service_labels', 'Labels of the database service'),
    ],
  },
  {
    id: 'desktops',
    title: 'Windows desktops',
    noun: 'Windows desktops',
    icon: Monitor,
    parts: [
      labels('windows_desktop_labels'),
      text('windows_desktop_labels_expression', 'Label expression'),
      texts('windows_desktop_logins', 'Logins', { suggestions: ['{{internal.windows_logins}}', 'Administrator'] }),
      texts('desktop_groups', 'Desktop groups'),
    ],
  },
  {
    id: 'clusters',
    title: 'Trusted clusters and groups',
    noun: 'trusted clusters and groups',
    icon: Network,
    parts: [labels('cluster_labels', 'Labels of clusters'), labels('group_labels', 'Labels of user groups')],
  },
]

export const fieldOf = (side: Side, { name, ...rest }: Part): FieldSpec => ({ ...rest, path: ['spec', side, name] }) as FieldSpec

export const ruleOffers = { resources: ['*', ...resourceKinds], verbs: ['*', ...verbs] }

const option = (...name: string[]): Path => ['spec', 'options', ...name]
const flag = (name: string, label: string, usual: 'yes' | 'no', help?: string): FieldSpec => ({
  as: 'flag',
  path: option(name),
  label,
  usual: `Default (${usual})`,
  ...(help && { help }),
})
const duration = (name: string, label: string, help: string): FieldSpec => ({
  as: 'text',
  mono: true,
  path: option(name),
  label,
  help,
  whyNot: limitDuration,
})
const choice = (path: Path, label: string, usual: string, ...values: [value: string, label: string][]): FieldSpec => ({
  as: 'choice',
  path,
  label,
  usual,
  choices: values.map(([value, text_]) => ({ value, label: text_ })),
})
const strictness: [string, string][] = [
  ['best_effort', 'Best effort'],
  ['strict', 'Strict'],
]

export const optionGroups: readonly { title: string; fields: readonly FieldSpec[] }[] = [
  {
    title: 'Session',
    fields: [
      duration('max_session_ttl', 'Longest sign-in', 'Empty: 30h'),
      duration('client_idle_timeout', 'Idle timeout', 'Empty: none'),
      flag('disconnect_expired_cert', 'Disconnect when the sign-in ends', 'no'),
      choice(
        option('require_session_mfa'),
        'Second factor for each session',
        'Default (no)',
        ['true', 'Yes'],
        ['false', 'No'],
        ['hardware_key', 'Hardware key'],
        ['hardware_key_touch', 'Hardware key with touch'],
      ),
      choice(option('lock'), 'When locks cannot be checked', 'As the cluster says', ...strictness),
      flag('pin_source_ip', 'Pin to the address of the sign-in', 'no'),
      { as: 'number', path: option('max_connections'), label: 'Connections at a time', placeholder: 'unlimited' },
      { as: 'number', path: option('max_sessions'), label: 'Sessions per connection', placeholder: 'unlimited' },
    ],
  },
  {
    title: 'Servers',
    fields: [
      flag('forward_agent', 'Forward agent', 'no'),
      flag('port_forwarding', 'Port forwarding', 'yes'),
      flag('ssh_file_copy', 'File copy', 'yes'),
      flag('permit_x11_forwarding', 'X11 forwarding', 'no'),
      choice(
        option('create_host_user_mode'),
        'Create accounts on servers',
        'Default (off)',
        ['off', 'Off'],
        ['keep', 'Keep afterwards'],
        ['insecure-drop', 'Remove afterwards'],
      ),
    ],
  },
  {
    title: 'Recording',
    fields: [
      choice(option('record_session', 'default'), 'Sessions', 'Default (best effort)', ...strictness),
      choice(option('record_session', 'ssh'), 'SSH sessions', 'As above', ...strictness),
      { as: 'flag', path: option('record_session', 'desktop'), label: 'Desktops', usual: 'Default (yes)' },
      { as: 'texts', path: option('enhanced_recording'), label: 'Enhanced', suggestions: ['command', 'disk', 'network'] },
    ],
  },
  {
    title: 'Desktops and databases',
    fields: [
      flag('desktop_clipboard', 'Share the clipboard', 'yes'),
      flag('desktop_directory_sharing', 'Share a directory', 'yes'),
      flag('create_desktop_user', 'Create accounts on desktops', 'no'),
      flag('create_db_user', 'Create accounts in databases', 'no'),
    ],
  },
]

export const requestGroups: readonly { title: string; fields: readonly FieldSpec[] }[] = [
  {
    title: 'May ask for',
    fields: [
      { as: 'texts', path: ['spec', 'allow', 'request', 'roles'], label: 'Roles' },
      { as: 'texts', path: ['spec', 'allow', 'request', 'search_as_roles'], label: 'Resources that these roles reach' },
      { as: 'texts', path: ['spec', 'allow', 'request', 'suggested_reviewers'], label: 'Suggested reviewers' },
      {
        as: 'text',
        mono: true,
        path: ['spec', 'allow', 'request', 'max_duration'],
        label: 'Longest duration',
        help: 'Such as 14d',
        whyNot: limitDuration,
      },
      choice(
        ['spec', 'options', 'request_access'],
        'At sign-in',
        'Default (optional)',
        ['optional', 'Asking is optional'],
        ['reason', 'Asking needs a reason'],
        ['always', 'Always ask'],
      ),
      { as: 'text', path: ['spec', 'options', 'request_prompt'], label: 'Prompt for the reason' },
    ],
  },
  {
    title: 'May review',
    fields: [
      { as: 'texts', path: ['spec', 'allow', 'review_requests', 'roles'], label: 'Requests for roles' },
      { as: 'texts', path: ['spec', 'allow', 'review_requests', 'preview_as_roles'], label: 'Look at resources as' },
    ],
  },
  {
    title: 'May never ask for or review',
    fields: [
      { as: 'texts', path: ['spec', 'deny', 'request', 'roles'], label: 'Roles asked for' },
      { as: 'texts', path: ['spec', 'deny', 'review_requests', 'roles'], label: 'Roles reviewed' },
    ],
  },
]

export const aboutFields: readonly FieldSpec[] = [
  { as: 'text', path: ['metadata', 'description'], label: 'Description', lines: true },
  { as: 'labels', path: ['metadata', 'labels'], label: 'Labels' },
]

/** Every path that the form shows. */
export const shownPaths: readonly Path[] = [
  ['kind'],
  ['version'],
  ['metadata', 'name'],
  ...aboutFields.map(({ path }) => path),
  ...(['allow', 'deny'] as const).flatMap((side) => [
    ...resourceSections.flatMap(({ parts }) => parts.map(({ name }) => ['spec', side, name])),
    ['spec', side, 'kubernetes_resources'],
  ]),
  ...optionGroups.flatMap(({ fields }) => fields.map(({ path }) => path)),
  ...requestGroups.flatMap(({ fields }) => fields.map(({ path }) => path)),
]

/** The tab that shows a path. */
export function tabOf(path: Path): TabName {
  if (path[0] !== 'spec') return 'role'
  if (path[2] === 'rules') return 'rules'
  if (path[2] === 'request' || path[2] === 'review_requests' || String(path[2]).startsWith('request_')) return 'requests'
  return path[1] === 'options' ? 'options' : 'resources'
}

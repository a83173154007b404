/** What integrations and plugins are called, and which of them can be enrolled here. */
import { Cloud, Hash, Mail, MessagesSquare, Plug } from 'lucide-react'
import { awsOidc } from '@sallyport/wire/entities/integration.ts'
import type { enrollEventKinds, IntegrationRow } from '@sallyport/wire/entities/integration.ts'
import { pluginKinds } from '@sallyport/wire/entities/plugin.ts'
import type { PluginKind } from '@sallyport/wire/entities/plugin.ts'
import type { IconType } from '../../ui/Icon.tsx'

export interface EnrollTile {
  /** As the address and the wire know it. */
  type: keyof typeof enrollEventKinds
  name: string
  line: string
  hosting: string
  icon: IconType
  /** Whose right to create it takes. */
  area: 'integrations' | 'plugins'
}

/** Those that the proxy runs. */
export const tiles: readonly EnrollTile[] = [
  {
    type: awsOidc,
    name: 'Amazon Web Services',
    line: 'See the databases of an account, without a key that somebody could take along.',
    hosting: 'Cloud account, OpenID Connect',
    icon: Cloud,
    area: 'integrations',
  },
  {
    type: 'slack',
    name: 'Slack',
    line: 'Tell channels and reviewers of access requests, and what becomes of them.',
    hosting: 'Chat, access requests',
    icon: Hash,
    area: 'plugins',
  },
  {
    type: 'mattermost',
    name: 'Mattermost',
    line: 'Tell channels and reviewers of access requests, on a server of your own.',
    hosting: 'Chat, access requests',
    icon: MessagesSquare,
    area: 'plugins',
  },
  {
    type: 'email',
    name: 'Email',
    line: 'Tell reviewers of access requests by mail, over your SMTP server.',
    hosting: 'Mail, access requests',
    icon: Mail,
    area: 'plugins',
  },
]
export const tileOf = (type: string | undefined): EnrollTile | undefined => tiles.find((tile) => tile.type === type)
export const isPluginKind = (type: string): type is PluginKind => (pluginKinds as readonly string[]).includes(type)

/** Of plugins the way they spell themselves, as far as it is known. */
const pluginNames: Readonly<Record<string, string>> = {
  openai: 'OpenAI',
  pagerduty: 'PagerDuty',
  msteams: 'Microsoft Teams',
  opsgenie: 'Opsgenie',
  servicenow: 'ServiceNow',
}
const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)

export function wordOf({ resourceType, kind }: Pick<IntegrationRow, 'resourceType' | 'kind'>): string {
  if (resourceType === 'plugin') return pluginNames[kind] ?? capitalized(kind)
  return kind === awsOidc ? 'AWS, OpenID Connect' : kind
}
export const iconOf = ({ kind }: Pick<IntegrationRow, 'kind'>): IconType => tileOf(kind)?.icon ?? Plug

/** How each kind of plugin is connected, and what its recipients look like. */
import { pluginStatus, statusOf } from '@sallyport/wire/entities/integration.ts'
import type { PluginWire } from '@sallyport/wire/entities/integration.ts'
import type { PluginKind } from '@sallyport/wire/entities/plugin.ts'

export interface PluginWords {
  title: string
  lead: string
  /** What to do at the service first. What stands in backticks is written there as it is here. */
  guide: readonly string[]
  secret: string
  recipients: string
  placeholder: string
}

export const pluginWords: Readonly<Record<PluginKind, PluginWords>> = {
  slack: {
    title: 'Connect Slack',
    lead: 'A bot of your workspace tells channels and reviewers who asks for access, and changes its message when somebody has decided.',
    guide: [
      'At `api.slack.com/apps`, create an app in your workspace.',
      'Under OAuth & Permissions, give its bot the scopes `chat:write`, `users:read` and `users:read.email`.',
      'Install it in the workspace and copy the Bot User OAuth Token.',
      'Invite the bot to every channel that it is to tell: `/invite` and its name.',
    ],
    secret: 'Bot token',
    recipients: 'Channels, and members by their mail address.',
    placeholder: '#access-requests',
  },
  mattermost: {
    title: 'Connect Mattermost',
    lead: 'A bot account of your server tells channels and reviewers who asks for access, and changes its message when somebody has decided.',
    guide: [
      'In Mattermost, open Integrations, Bot Accounts and add one. Copy its token.',
      'Add the bot to the team, and to every channel that it is to tell.',
    ],
    secret: 'Token of the bot',
    recipients: 'Channels as team/channel, as in their address, and members by their mail address.',
    placeholder: 'engineering/access-requests',
  },
  email: {
    title: 'Connect a mail server',
    lead: 'Reviewers are told by mail who asks for access. When somebody has decided, another mail follows in the same thread.',
    guide: ['Mail goes out by a server of yours, encrypted on the way to it. A user that may send from the address below is enough.'],
    secret: 'Password',
    recipients: 'Mail addresses.',
    placeholder: 'oncall@example.com',
  },
}

/** What was done, and how the plugin is by now. */
export function toastOf(title: string, { statusCode, details }: PluginWire): { kind: 'ok' | 'danger'; title: string; body: string } {
  return { kind: statusCode > pluginStatus.running ? 'danger' : 'ok', title, body: `${statusOf(statusCode).word}. ${details}` }
}

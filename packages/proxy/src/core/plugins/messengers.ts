/** Every kind of plugin, and what speaks to its service. */
import type { PluginKind } from '@sallyport/wire/entities/plugin.ts'
import { createMail } from './email.ts'
import { createMattermost } from './mattermost.ts'
import type { Messenger } from './messenger.ts'
import type { PluginSpec } from './plugin.ts'
import { createSlack } from './slack.ts'

export interface MessengerDeps {
  slackApi: string
  site: { readonly hostname: string }
}

type Maker<K extends PluginKind> = (spec: Extract<PluginSpec, { type: K }>, deps: MessengerDeps) => Messenger

const makers: { readonly [K in PluginKind]: Maker<K> } = {
  slack: ({ token }, { slackApi }) => createSlack({ token, api: slackApi }),
  mattermost: ({ url, token }) => createMattermost({ url, token }),
  email: (spec, { site }) => createMail(spec, site.hostname),
}

/** With secrets in the clear. */
export const messengerOf = (spec: PluginSpec, deps: MessengerDeps): Messenger => (makers[spec.type] as Maker<PluginKind>)(spec, deps)

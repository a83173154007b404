/** Plugins that the proxy runs: where people are told of access requests, and how. */
import * as z from 'zod/mini'

export const pluginKinds = ['slack', 'mattermost', 'email'] as const
export type PluginKind = (typeof pluginKinds)[number]

/** Of the connection to a mail server. `none` is for one on the proxy's own machine. */
export const mailTlsModes = ['starttls', 'tls', 'none'] as const
export type MailTls = (typeof mailTlsModes)[number]

export const maxRecipients = 50
export const maxRoleRecipients = 100

const text = (longest: number) => z.string().check(z.maxLength(longest))
const recipients = z.array(text(320).check(z.minLength(1))).check(z.maxLength(maxRecipients))
/** A secret that is stored comes as `maskedSecret`; sent back unchanged it keeps what is stored. */
const secret = text(4096)

const told = {
  /** Who is told of requests for roles that have no recipients of their own. */
  recipients: z._default(recipients, []),
  roleRecipients: z._default(z.array(z.object({ role: text(255), recipients })).check(z.maxLength(maxRoleRecipients)), []),
}

export const pluginSettingsWire = z.discriminatedUnion(
  'kind',
  [
    z.object({ kind: z.literal('slack'), token: secret, ...told }),
    z.object({ kind: z.literal('mattermost'), url: text(2048), token: secret, ...told }),
    z.object({
      kind: z.literal('email'),
      host: text(253),
      port: z.int().check(z.minimum(1), z.maximum(65_535)),
      tls: z.enum(mailTlsModes),
      username: z._default(text(320), ''),
      password: z._default(secret, ''),
      from: text(320),
      /** PEM; empty: the usual authorities. */
      caCert: z._default(text(65_536), ''),
      ...told,
    }),
  ],
  { error: `settings.kind: use ${pluginKinds.join(', ')}` },
)
export type PluginSettings = z.output<typeof pluginSettingsWire>
export type SettingsOf<K extends PluginKind> = Extract<PluginSettings, { kind: K }>

const mailAddress = /^[^\s@<>(),:;"[\]\\]+@[^\s@<>(),:;"[\]\\]+$/
export const isMailAddress = (value: string): boolean => value.length <= 254 && mailAddress.test(value)

const rules: Readonly<Record<PluginKind, { isGood: (recipient: string) => boolean; whyNot: string }>> = {
  email: { isGood: isMailAddress, whyNot: 'write a mail address, such as oncall@example.com' },
  slack: {
    isGood: (recipient) => isMailAddress(recipient) || /^#?[\p{L}\p{N}_-]{1,80}$/u.test(recipient),
    whyNot: 'write a channel, such as #access-requests, or the mail address of a member',
  },
  mattermost: {
    isGood: (recipient) => isMailAddress(recipient) || /^[a-z0-9-]{1,64}\/[a-z0-9_-]{1,64}$/.test(recipient),
    whyNot: 'write team/channel as they stand in the address of the channel, or the mail address of a member',
  },
}
/** Why somebody, or a channel, cannot be a recipient. */
export const whyNotRecipient = (kind: PluginKind, recipient: string): string | undefined =>
  rules[kind].isGood(recipient) ? undefined : `"${recipient}": ${rules[kind].whyNot}`

/** It becomes part of addresses. */
export const pluginNamePattern = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

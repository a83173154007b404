/** Settings of a plugin as they are edited: texts, recipients, and recipients of roles. */
import { maskedSecret } from '@sallyport/wire/entities/connector.ts'
import { whyNotRecipient } from '@sallyport/wire/entities/plugin.ts'
import type { MailTls, PluginKind, PluginSettings } from '@sallyport/wire/entities/plugin.ts'
import { pem, port } from '../../parts/validators/enrolment.ts'
import { chatAddress, mailAddress, mailTls, slackToken } from '../../parts/validators/plugins.ts'
import type { Problem } from '../../parts/validators/problem.ts'
import { required } from '../../parts/validators/sign-in.ts'

/** Of every kind; each has some of them. */
export const blankTexts = {
  name: '',
  url: '',
  host: '',
  port: '587',
  tls: 'starttls',
  username: '',
  /** Token or password. Empty keeps the one that is stored. */
  secret: '',
  from: '',
  caCert: '',
}
export type PluginTexts = typeof blankTexts

export interface RoleRow {
  /** Tells rows apart while their roles change. */
  id: number
  role: string
  recipients: readonly string[]
}
export interface Told {
  recipients: readonly string[]
  roles: readonly RoleRow[]
}

let lastId = 0
export const newRow = (role = '', recipients: readonly string[] = []): RoleRow => ({ id: ++lastId, role, recipients })
export const nobodyTold: Told = { recipients: [], roles: [] }

/** Ports on which mail servers wait for each kind of TLS. */
export const usualPorts: Readonly<Record<MailTls, string>> = { starttls: '587', tls: '465', none: '25' }

export const textsOf = (settings: PluginSettings): PluginTexts => ({
  ...blankTexts,
  ...(settings.kind === 'mattermost' && { url: settings.url }),
  ...(settings.kind === 'email' && {
    host: settings.host,
    port: String(settings.port),
    tls: settings.tls,
    username: settings.username,
    from: settings.from,
    caCert: settings.caCert,
  }),
})
export const toldOf = ({ recipients, roleRecipients }: PluginSettings): Told => ({
  recipients,
  roles: roleRecipients.map((row) => newRow(row.role, row.recipients)),
})

/** What is wrong with the connection. With `isStored` a secret may be left out. */
export function connectionProblems(kind: PluginKind, texts: PluginTexts, isStored: boolean): Partial<Record<keyof PluginTexts, Problem>> {
  const secret = (what: string): Problem => (isStored && texts.secret === '' ? undefined : required(texts.secret, what))
  if (kind === 'slack') return { secret: texts.secret === '' ? secret('the bot token') : slackToken(texts.secret) }
  if (kind === 'mattermost') return { url: chatAddress(texts.url), secret: secret('the token of the bot') }
  const hasUser = texts.username.trim() !== ''
  return {
    host: required(texts.host, 'the name of the mail server'),
    port: port(texts.port),
    tls: mailTls(texts.tls, texts.host),
    username: !hasUser && texts.secret !== '' ? 'Enter the user of the password' : undefined,
    secret: hasUser ? secret('the password') : undefined,
    from: mailAddress(texts.from),
    caCert: texts.caCert.trim() === '' ? undefined : pem(texts.caCert),
  }
}

export interface ToldProblems {
  recipients: Problem
  /** By the id of the row. */
  rows: ReadonlyMap<number, { role: Problem; recipients: Problem }>
}

const firstOf = (kind: PluginKind, recipients: readonly string[]): Problem =>
  recipients.map((recipient) => whyNotRecipient(kind, recipient)).find((why) => why !== undefined)

export function toldProblems(kind: PluginKind, { recipients, roles }: Told): ToldProblems {
  const rows = new Map<number, { role: Problem; recipients: Problem }>()
  for (const row of roles) {
    const twice = roles.some((other) => other !== row && other.role.trim() === row.role.trim())
    const role = required(row.role, 'a role') ?? (twice ? 'This role is already there' : undefined)
    const whom = row.recipients.length === 0 ? 'Add at least one recipient' : firstOf(kind, row.recipients)
    if (role !== undefined || whom !== undefined) rows.set(row.id, { role, recipients: whom })
  }
  return { recipients: firstOf(kind, recipients), rows }
}
export const isGood = ({ recipients, rows }: ToldProblems): boolean => recipients === undefined && rows.size === 0

/** What the proxy gets. */
export function settingsOf(kind: PluginKind, texts: PluginTexts, told: Told, isStored: boolean): PluginSettings {
  const secret = texts.secret.trim() === '' && isStored ? maskedSecret : texts.secret.trim()
  const common = {
    recipients: [...told.recipients],
    roleRecipients: told.roles.map(({ role, recipients }) => ({ role: role.trim(), recipients: [...recipients] })),
  }
  if (kind === 'slack') return { kind, token: secret, ...common }
  if (kind === 'mattermost') return { kind, url: texts.url.trim(), token: secret, ...common }
  const username = texts.username.trim()
  return {
    kind,
    host: texts.host.trim(),
    port: Number(texts.port),
    tls: texts.tls as MailTls,
    username,
    // Spaces may belong to a password.
    password: username === '' ? '' : texts.secret === '' && isStored ? maskedSecret : texts.secret,
    from: texts.from.trim(),
    caCert: texts.caCert.trim(),
    ...common,
  }
}

/** Everybody who is named, each once. */
export const namedIn = ({ recipients, roles }: Told): string[] => [...new Set([...recipients, ...roles.flatMap((row) => row.recipients)])]

export type Fact = readonly [label: string, value: string]
const tlsWords: Readonly<Record<MailTls, string>> = { starttls: 'STARTTLS', tls: 'TLS', none: 'no TLS' }

/** What was entered, in short. Never a secret. */
export function connectionFacts(kind: PluginKind, { name, url, host, port, tls, username, from }: PluginTexts): Fact[] {
  const plugin: Fact = ['Plugin', name]
  if (kind === 'slack') return [plugin]
  if (kind === 'mattermost') return [plugin, ['Server', url]]
  const server: Fact = ['Server', `${host}:${port}, ${tlsWords[tls as MailTls]}`]
  return [plugin, server, ...(username === '' ? [] : [['User', username] as const]), ['Sender', from]]
}
export const toldFacts = ({ recipients, roles }: Told): Fact[] => [
  ['Recipients', recipients.length === 0 ? 'None but suggested reviewers' : recipients.join(', ')],
  ...roles.map((row): Fact => [`For ${row.role}`, row.recipients.join(', ')]),
]

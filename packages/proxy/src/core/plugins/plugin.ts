/** A plugin as a document: a service that tells people of access requests, and whom. Its secrets are sealed once it is stored. */
import {
  isMailAddress,
  mailTlsModes,
  maxRecipients,
  maxRoleRecipients,
  pluginKinds,
  pluginNamePattern,
  whyNotRecipient,
} from '@sallyport/wire/entities/plugin.ts'
import { z } from 'zod'
import { secret } from '../connectors/connector-fields.ts'
import type { ConnectorKind, ConnectorStore } from '../connectors/connector-store.ts'
import { isLoopbackUrl, providerUrl, whyNotProviderUrl } from '../connectors/urls.ts'
import { badParameter } from '../errors.ts'
import type { Resource, ResourceKind } from '../resources/resources.ts'

const recipients = z.array(z.string().min(1).max(320)).max(maxRecipients, `at most ${maxRecipients} recipients`)
const told = {
  /** Who is told of requests for roles that have no recipients of their own. */
  recipients: recipients.nullish().transform((given) => given ?? []),
  role_recipients: z
    .record(z.string().min(1).max(255), recipients.min(1, 'give at least one recipient'))
    .refine((given) => Object.keys(given).length <= maxRoleRecipients, `at most ${maxRoleRecipients} roles`)
    .nullish()
    .transform((given) => given ?? {}),
}

const mailHost = z
  .string()
  .max(253)
  .refine((host) => isHost(host), 'write the name of the mail server, such as smtp.example.com')
/** A name, or an address that this proxy may call. */
function isHost(host: string): boolean {
  const named = host.includes(':') ? `[${host}]` : host
  return /^[A-Za-z0-9.:-]+$/.test(host) && whyNotProviderUrl(`https://${named}`) === undefined
}
export const isOnThisMachine = (host: string): boolean => {
  const url = URL.parse(`http://${host.includes(':') ? `[${host}]` : host}`)
  return url !== null && isLoopbackUrl(url)
}

const specSchema = z
  .discriminatedUnion(
    'type',
    [
      z.strictObject({ type: z.literal('slack'), token: secret, ...told }),
      z.strictObject({ type: z.literal('mattermost'), url: providerUrl, token: secret, ...told }),
      z.strictObject({
        type: z.literal('email'),
        host: mailHost,
        port: z.number().int().min(1).max(65_535).default(587),
        tls: z.enum(mailTlsModes).default('starttls'),
        username: z.string().max(320).default(''),
        password: secret,
        from: z.string().refine(isMailAddress, 'write a mail address, such as sallyport@example.com'),
        ca_cert: z.string().max(65_536).default(''),
        ...told,
      }),
    ],
    { error: `type: use ${pluginKinds.join(', ')}` },
  )
  .superRefine((spec, context) => {
    const refuse = (path: (string | number)[], message: string): void => context.addIssue({ code: 'custom', path, message })
    const check = (path: (string | number)[], list: readonly string[]): void =>
      list.forEach((recipient, index) => {
        const reason = whyNotRecipient(spec.type, recipient)
        if (reason !== undefined) refuse([...path, index], reason)
      })
    check(['recipients'], spec.recipients)
    for (const [role, list] of Object.entries(spec.role_recipients)) check(['role_recipients', role], list)
    if (spec.type === 'mattermost' && spec.url === '') refuse(['url'], 'give the address of the Mattermost server')
    if (spec.type === 'email' && spec.tls === 'none' && !isOnThisMachine(spec.host))
      refuse(['tls'], 'none is for a mail server on this machine only; use starttls or tls')
  })

export type PluginSpec = z.output<typeof specSchema>
export type PluginSpecInput = z.input<typeof specSchema>
export type Plugin = Resource<PluginSpec>
export type PluginStore = ConnectorStore<PluginSpec, PluginSpecInput>

export const pluginKind: ResourceKind<PluginSpec, PluginSpecInput> = {
  kind: 'plugin',
  versions: ['v1'],
  spec: () => specSchema,
  whyNotName: (name) =>
    pluginNamePattern.test(name) ? undefined : 'metadata.name: use at most 63 lowercase letters, digits and dashes, dashes inside only',
  existsText: (name) => `plugin "${name}" already exists, please use another name`,
  missingText: (name) => `plugin "${name}" doesn't exist`,
}

/** For the store that keeps secrets sealed. */
export const sealedPlugins: ConnectorKind<PluginSpec, PluginSpecInput> = {
  definition: pluginKind,
  mapSecrets: (spec, change) =>
    spec.type === 'email' ? { ...spec, password: change(spec.password, 'password') } : { ...spec, token: change(spec.token, 'token') },
  destination(spec) {
    if (spec.type === 'slack') return spec.type
    if (spec.type === 'mattermost') return `${spec.type} ${spec.url}`
    // With them somebody in between could take the password.
    return JSON.stringify([spec.type, spec.host, spec.port, spec.tls, spec.ca_cert])
  },
  check({ spec }) {
    const missing = whatIsMissing(spec)
    return missing === undefined ? Promise.resolve() : Promise.reject(badParameter(missing))
  },
}

function whatIsMissing(spec: PluginSpec): string | undefined {
  if (spec.type !== 'email') return spec.token === '' ? 'spec.token: give the token of the bot' : undefined
  if (spec.username === '' && spec.password !== '') return 'spec.username: a password needs a user name'
  return spec.username !== '' && spec.password === '' ? 'spec.password: give the password of the user' : undefined
}

/** Users as documents: roles, traits and who made them. Passwords and devices are kept apart. */
import { z } from 'zod'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from './resources/resources.ts'

const roleNames = z
  .array(z.string().min(1).max(255))
  .max(500)
  .transform((names) => [...new Set(names)])
const traits = z.record(
  z.string().min(1).max(255),
  z
    .array(z.string().max(2048))
    .max(1000)
    .nullish()
    .transform((values) => values ?? []),
)

/** What other tools write about a user, and what means nothing here. */
const ignored = {
  expires: z.unknown().optional(),
  status: z.unknown().optional(),
  oidc_identities: z.unknown().optional(),
  saml_identities: z.unknown().optional(),
  github_identities: z.unknown().optional(),
  trusted_device_ids: z.unknown().optional(),
}
const isIgnored = (field: string): boolean => field in ignored

const specFields = z.strictObject({
  ...ignored,
  roles: roleNames,
  traits: traits.nullish().transform((given) => given ?? {}),
  created_by: z
    .strictObject({
      time: z.iso.datetime().optional(),
      user: z.strictObject({ name: z.string() }).optional(),
      /** Present when an identity provider made the user at sign-in. */
      connector: z.strictObject({ type: z.enum(['oidc', 'saml', 'github']), id: z.string(), identity: z.string() }).optional(),
    })
    .prefault({}),
})
const userSpec = specFields.transform(
  (spec) => Object.fromEntries(Object.entries(spec).filter(([field]) => !isIgnored(field))) as Omit<typeof spec, keyof typeof ignored>,
)
export type UserSpec = z.output<typeof userSpec>
export type UserSpecInput = z.input<typeof userSpec>
export type User = Resource<UserSpec>
export type UserInput = ResourceInput<UserSpecInput>
export type UserStore = ResourceStore<UserSpec, UserSpecInput>

/** `local`, or the type of the identity provider. */
export const authTypeOf = (user: User): 'local' | 'oidc' | 'saml' | 'github' => user.spec.created_by.connector?.type ?? 'local'

/** On the user that a bot is: the bot's own name. */
const botLabel = 'teleport.internal/bot'
export const botUserName = (bot: string): string => `bot-${bot}`
/** The name of the bot that a user is; undefined for people. Both name and label have to say so. */
export function botOf({ metadata: { name, labels } }: Pick<User, 'metadata'>): string | undefined {
  const bot = labels[botLabel]
  return bot !== undefined && name === botUserName(bot) ? bot : undefined
}

/** Names become path parts, log words and certificate fields. */
const validName = /^[\p{L}\p{N}_][\p{L}\p{N}_.@+-]{0,254}$/u

export const userKind: ResourceKind<UserSpec, UserSpecInput> = {
  kind: 'user',
  versions: ['v2'],
  spec: () => userSpec,
  whyNotName: (name) =>
    validName.test(name)
      ? undefined
      : `the user name "${name}" may hold letters, digits and . _ @ + - only, and starts with a letter, a digit or _`,
  existsText: (name) => `user "${name}" already registered`,
  missingText: (name) => `user "${name}" is not found`,
}

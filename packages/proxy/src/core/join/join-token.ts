/** Join tokens as documents: what lets agents into the cluster, as whom, until when. */
import { joinMethods, joinRoles } from '@sallyport/wire/entities/join-token.ts'
import type { JoinMethod, JoinRole } from '@sallyport/wire/entities/join-token.ts'
import { defaultJoinMethod } from '@sallyport/wire/limits.ts'
import { z } from 'zod'
import type { Resource, ResourceInput, ResourceKind } from '../resources/resources.ts'

const roleByWord: ReadonlyMap<string, JoinRole> = new Map(joinRoles.map((role) => [role.toLowerCase(), role]))

const roleList = z
  .union([z.string().transform((text) => text.split(',').map((role) => role.trim())), z.array(z.string())])
  .transform((words, context) => {
    const unknown = words.find((word) => !roleByWord.has(word.toLowerCase()))
    if (unknown === undefined) return [...new Set(words.flatMap((word) => roleByWord.get(word.toLowerCase()) ?? []))]
    context.addIssue({ code: 'custom', message: `there is no role "${unknown}"; use ${joinRoles.join(', ')}` })
    return z.NEVER
  })
  .refine((roles) => roles.length > 0, { message: 'name at least one role, such as Node' })

const text = z.string().max(255)
/** In documents a label has one value or several; here it has several. */
const labels = z
  .record(text.min(1), z.union([text.transform((value) => [value]), z.array(text).max(100)]))
  .nullish()
  .transform((map) => (map && Object.keys(map).length > 0 ? map : undefined))

const maxRulesLength = 64 * 1024
const bounded = (value: unknown): boolean => JSON.stringify(value).length <= maxRulesLength
const tooLong = { message: 'that is too long' }
/** What the surroundings of an agent must be like. Agents of this cluster join by `token`; the rest is kept as it is written. */
const rules = z
  .record(z.string(), z.unknown())
  .refine(bounded, tooLong)
  .nullish()
  .transform((value) => value ?? undefined)
const optionalText = text.nullish().transform((value) => value || undefined)

const tokenSpec = z
  .strictObject({
    roles: roleList,
    join_method: z.enum(joinMethods, { error: `use one of ${joinMethods.join(', ')}` }).default(defaultJoinMethod),
    allow: z
      .array(z.record(z.string(), z.unknown()))
      .max(100)
      .refine(bounded, tooLong)
      .nullish()
      .transform((value) => (value && value.length > 0 ? value : undefined)),
    bot_name: optionalText,
    suggested_labels: labels,
    suggested_agent_matcher_labels: labels,
    aws_iid_ttl: optionalText,
    github: rules,
    gitlab: rules,
    azure: rules,
    gcp: rules,
    kubernetes: rules,
    circleci: rules,
    tpm: rules,
    spacelift: rules,
    terraform_cloud: rules,
    bitbucket: rules,
    oracle: rules,
    /** Ours: `single_use` lets one agent in, then the token is gone. */
    usage_mode: z
      .enum(['unlimited', 'single_use'])
      .nullish()
      .transform((mode) => (mode === 'single_use' ? mode : undefined)),
  })
  .refine(({ roles, bot_name }) => roles.includes('Bot') === (bot_name !== undefined), {
    path: ['bot_name'],
    message: 'a token has a bot_name if, and only if, one of its roles is Bot',
  })
export type JoinTokenSpec = z.output<typeof tokenSpec>
export type JoinTokenSpecInput = z.input<typeof tokenSpec>
export type JoinToken = Resource<JoinTokenSpec>
export type JoinTokenInput = ResourceInput<JoinTokenSpecInput>

export const joinTokenKind: ResourceKind<JoinTokenSpec, JoinTokenSpecInput> = {
  kind: 'token',
  versions: ['v2'],
  spec: () => tokenSpec,
  whyNotName: (name) =>
    /^[!-)+-~]+$/.test(name)
      ? undefined
      : 'a token is named with letters, digits and signs, without spaces; an asterisk stands for what is masked and cannot be part of a name',
  // Other tokens may have the same name in their masked form, so no text repeats it.
  existsText: () => 'a token with this name exists already',
  missingText: () => 'there is no such token; it may have expired',
}

/** The name as it may be shown: of a secret one the last quarter. */
export function safeNameOf(name: string, method: JoinMethod): string {
  if (method !== 'token') return name
  const hidden = Math.floor(name.length * 0.75)
  return '*'.repeat(hidden) + name.slice(hidden)
}

/** Names of tokens that are no secrets: the same rules always give the same name, as other consoles expect it. */
import { z } from 'zod'
import { badParameter } from '../errors.ts'

const prefix = { iam: 'teleport-ui-iam-', azure: 'teleport-ui-azure-' } as const
export type RuleMethod = keyof typeof prefix

const awsRules = z
  .array(z.looseObject({ aws_account: z.string().default(''), aws_arn: z.string().default('') }))
  .min(1)
  .transform((rules) => rules.map(({ aws_account, aws_arn }) => `${aws_account}-${aws_arn}`))
const azureRules = z
  .object({
    allow: z.array(z.looseObject({ subscription: z.string().default(''), resource_groups: z.array(z.string()).nullish() })).min(1),
  })
  .transform(({ allow }) =>
    allow.map(({ subscription, resource_groups }) => `${subscription}-${(resource_groups ?? []).toSorted().join('-')}`),
  )

export const isRuleMethod = (method: string): method is RuleMethod => Object.hasOwn(prefix, method)

/** Throws bad parameter for rules that name nobody. */
export function nameOfRules(method: RuleMethod, spec: { allow?: unknown; azure?: unknown }): string {
  const rules = method === 'iam' ? awsRules.safeParse(spec.allow) : azureRules.safeParse(spec.azure)
  if (!rules.success)
    throw badParameter(
      method === 'iam'
        ? 'allow: name at least one rule with aws_account or aws_arn'
        : 'azure.allow: name at least one rule with a subscription',
    )
  return `${prefix[method]}${fnv32a(rules.data.toSorted().join(''))}`
}

/** The 32-bit FNV-1a hash of a text. */
export function fnv32a(text: string): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}

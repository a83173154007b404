/** The role document: what people may reach and change. Unknown fields are refused with their path. */
import { resourceKinds, verbs } from '@sallyport/wire/acl.ts'
import { z } from 'zod'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from '../resources.ts'
import { whyNotPattern } from './match.ts'
import { optionsSchema } from './role-options.ts'
import { whyNotTemplate } from './templates.ts'
import { whyNotCondition } from './where.ts'

const pattern = z
  .string()
  .max(2048)
  .superRefine((value, context) => {
    const reason = whyNotTemplate(value) ?? whyNotPattern(value)
    if (reason !== undefined) context.addIssue({ code: 'custom', message: reason })
  })
const text = pattern.min(1)
const texts = z
  .union([z.array(text), text.transform((one) => [one])])
  .nullish()
  .transform((list) => list ?? [])
const noWildcard = (list: string[], context: z.RefinementCtx): void => {
  if (list.includes('*')) context.addIssue({ code: 'custom', message: '"*" is not allowed here; name each one' })
}
const named = texts.superRefine(noWildcard)

/** One value may stand without its list. */
const labelValues = z
  .union([z.array(z.string()), z.string(), z.number(), z.boolean()])
  .transform((value) => (Array.isArray(value) ? value : [String(value)]))
  .pipe(z.array(pattern))
const labels = z
  .record(text, labelValues)
  .nullish()
  .transform((selector) => selector ?? {})
  .superRefine((selector, context) => {
    const every = selector['*']
    if (every && !every.includes('*')) context.addIssue({ code: 'custom', path: ['*'], message: 'the key "*" takes only the value "*"' })
  })

const condition = z
  .string()
  .max(2048)
  .default('')
  .superRefine((source, context) => {
    const reason = source === '' ? undefined : whyNotCondition(source)
    if (reason !== undefined) context.addIssue({ code: 'custom', message: reason })
  })
const ruleSchema = z.strictObject({
  resources: z.array(z.enum([...resourceKinds, '*'])).min(1),
  verbs: z.array(z.enum([...verbs, '*'])).min(1),
  where: condition,
})
export type RoleRule = z.output<typeof ruleSchema>

const podResource = z.strictObject({
  kind: z.string().min(1),
  namespace: z.string().default(''),
  name: z.string().min(1),
  verbs: z.array(z.string()).optional(),
  api_group: z.string().optional(),
})

const conditions = (principals: typeof texts) =>
  z.strictObject({
    logins: principals,
    node_labels: labels,
    app_labels: labels,
    db_labels: labels,
    db_service_labels: labels,
    kubernetes_labels: labels,
    windows_desktop_labels: labels,
    cluster_labels: labels,
    group_labels: labels,
    db_names: texts,
    db_users: texts,
    db_roles: principals,
    kubernetes_groups: texts,
    kubernetes_users: texts,
    kubernetes_resources: z
      .array(podResource)
      .nullish()
      .transform((list) => list ?? []),
    windows_desktop_logins: texts,
    desktop_groups: texts,
    aws_role_arns: principals,
    azure_identities: principals,
    gcp_service_accounts: principals,
    host_groups: texts,
    host_sudoers: texts,
    rules: z
      .array(ruleSchema)
      .nullish()
      .transform((list) => list ?? []),
  })
const allowSchema = conditions(named)
const denySchema = conditions(texts)
export type RoleConditions = z.output<typeof allowSchema>

const everything = { '*': ['*'] }

/** v3 opened everything to whoever had a login; later versions open nothing that is not named. */
const roleSpec = (version: string) =>
  z
    .strictObject({
      options: optionsSchema.nullish().transform((options) => options ?? optionsSchema.parse({})),
      allow: allowSchema.nullish().transform((allow) => allow ?? allowSchema.parse({})),
      deny: denySchema.nullish().transform((deny) => deny ?? denySchema.parse({})),
    })
    .transform((spec) => {
      if (version !== 'v3') return spec
      const { allow } = spec
      const or = (selector: typeof allow.node_labels): typeof allow.node_labels =>
        Object.keys(selector).length > 0 ? selector : everything
      const nodes = allow.logins.length > 0 ? or(allow.node_labels) : allow.node_labels
      return {
        ...spec,
        allow: {
          ...allow,
          node_labels: nodes,
          app_labels: or(allow.app_labels),
          kubernetes_labels: or(allow.kubernetes_labels),
          db_labels: or(allow.db_labels),
        },
      }
    })

export type RoleSpec = z.output<ReturnType<typeof roleSpec>>
export type RoleSpecInput = z.input<ReturnType<typeof roleSpec>>
export type Role = Resource<RoleSpec>
export type RoleInput = ResourceInput<RoleSpecInput>
export type RoleStore = ResourceStore<RoleSpec, RoleSpecInput>

/** Held by everybody without being listed; nobody may define it. */
export const implicitRoleName = 'default-implicit-role'

export const roleKind: ResourceKind<RoleSpec, RoleSpecInput> = {
  kind: 'role',
  versions: ['v6', 'v7', 'v5', 'v4', 'v3'],
  spec: roleSpec,
  whyNotName: (name) => (name === implicitRoleName ? `the role name "${name}" is reserved` : undefined),
  existsText: (name) => `resource with name "${name}" already exists`,
  missingText: (name) => `resource with name "${name}" does not exist`,
}

/** What a role allows or denies: labels, principals, rules, requests, impersonation, joining sessions. */
import { resourceKinds, verbs } from '@sallyport/wire/acl.ts'
import { z } from 'zod'
import {
  condition,
  count,
  duration,
  labelExpression,
  labelSelector,
  listOf,
  name,
  names,
  namedTexts,
  orDefault,
  text,
  texts,
} from './role-fields.ts'
import { whyNotAction } from './rule-actions.ts'

/** Kinds of the product family that mean nothing here; roles that name them are taken all the same. */
const foreignKinds = [
  'access_graph',
  'access_list',
  'access_monitoring_rule',
  'audit_query',
  'autoupdate_config',
  'autoupdate_version',
  'bot',
  'bot_instance',
  'crown_jewel',
  'database_object_import_rule',
  'discovery_config',
  'external_audit_storage',
  'git_server',
  'namespace',
  'notification',
  'host_cert',
  'reverse_tunnel',
  'security_report',
  'semaphore',
  'server_info',
  'spiffe_federation',
  'static_host_user',
  'static_tokens',
  'user_task',
  'user_token',
  'vnet_config',
  'web_session',
  'web_token',
  'workload_identity',
] as const

const ruleResource = z.enum([...resourceKinds, ...foreignKinds, '*'])
const action = z
  .string()
  .max(2048)
  .superRefine((source, context) => {
    const message = whyNotAction(source)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })
const ruleSchema = z.strictObject({
  resources: listOf(ruleResource).refine((list) => list.length > 0, { error: 'a rule needs resources' }),
  verbs: listOf(z.enum([...verbs, '*'])).refine((list) => list.length > 0, { error: 'a rule needs verbs' }),
  where: condition('where'),
  actions: listOf(action),
})
export type RoleRule = z.output<typeof ruleSchema>

const kubernetesResource = z.strictObject({
  kind: name,
  namespace: z
    .string()
    .nullish()
    .transform((given) => given ?? ''),
  name: text,
  verbs: z
    .array(
      z.enum([
        '*',
        'get',
        'create',
        'update',
        'patch',
        'delete',
        'list',
        'watch',
        'deletecollection',
        'exec',
        'portforward',
        'impersonate',
      ]),
    )
    .optional(),
  api_group: z.string().optional(),
})
export type KubernetesResource = z.output<typeof kubernetesResource>

const claimsToRoles = listOf(z.strictObject({ claim: name, value: text, roles: names }))
const request = z.strictObject({
  roles: texts,
  claims_to_roles: claimsToRoles,
  search_as_roles: names,
  suggested_reviewers: names,
  annotations: z
    .record(z.string().min(1), texts)
    .nullish()
    .transform((given) => given ?? {}),
  thresholds: listOf(
    z.strictObject({
      name: z.string().max(255).default(''),
      filter: condition('threshold'),
      approve: orDefault(count, 0),
      deny: orDefault(count, 0),
    }),
  ),
  // As it is stored when it is not set: a document is read more than once.
  max_duration: z
    .union([z.literal(''), duration])
    .nullish()
    .transform((given) => given ?? ''),
})
const reviewRequests = z.strictObject({
  roles: texts,
  claims_to_roles: claimsToRoles,
  where: condition('threshold'),
  preview_as_roles: names,
})
const impersonate = z.strictObject({ users: texts, roles: texts, where: condition('where') })

const sessionKinds = listOf(z.enum(['ssh', 'k8s', 'db', 'app', 'desktop', '*']))
const joinModes = listOf(z.enum(['observer', 'peer', 'moderator', '*']))
const sessionJoin = z.strictObject({
  name,
  filter: condition('join'),
  kinds: sessionKinds,
  modes: joinModes,
  count: orDefault(count, 1),
  on_leave: orDefault(z.enum(['terminate', 'pause', '']), 'terminate').transform((given) => given || 'terminate'),
})
const joinSessions = z.strictObject({ name, roles: texts, kinds: sessionKinds, modes: joinModes })

const labels = {
  node_labels: labelSelector,
  node_labels_expression: labelExpression,
  app_labels: labelSelector,
  app_labels_expression: labelExpression,
  db_labels: labelSelector,
  db_labels_expression: labelExpression,
  db_service_labels: labelSelector,
  db_service_labels_expression: labelExpression,
  kubernetes_labels: labelSelector,
  kubernetes_labels_expression: labelExpression,
  windows_desktop_labels: labelSelector,
  windows_desktop_labels_expression: labelExpression,
  cluster_labels: labelSelector,
  cluster_labels_expression: labelExpression,
  group_labels: labelSelector,
  group_labels_expression: labelExpression,
}

const conditions = (principals: typeof texts) =>
  z.strictObject({
    ...labels,
    logins: principals,
    aws_role_arns: principals,
    azure_identities: principals,
    gcp_service_accounts: principals,
    db_names: texts,
    db_users: texts,
    db_roles: principals,
    kubernetes_groups: texts,
    kubernetes_users: texts,
    kubernetes_resources: listOf(kubernetesResource),
    windows_desktop_logins: texts,
    desktop_groups: texts,
    host_groups: texts,
    host_sudoers: texts,
    rules: listOf(ruleSchema),
    request: request.nullish().transform((given) => given ?? undefined),
    review_requests: reviewRequests.nullish().transform((given) => given ?? undefined),
    impersonate: impersonate.nullish().transform((given) => given ?? undefined),
    require_session_join: listOf(sessionJoin),
    join_sessions: listOf(joinSessions),
  })

export const allowSchema = conditions(namedTexts)
export const denySchema = conditions(texts).superRefine(({ impersonate: denied, request: refused }, context) => {
  const forbid = (...path: string[]): void =>
    context.addIssue({ code: 'custom', path, message: 'it has no meaning in deny; remove it or move it to allow' })
  if (denied && denied.where !== '') forbid('impersonate', 'where')
  if (refused && refused.thresholds.length > 0) forbid('request', 'thresholds')
})
export type RoleConditions = z.output<typeof allowSchema>

/** The role document: what people may reach and change. Unknown fields are refused with their path. */
import { z } from 'zod'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from '../resources/resources.ts'
import { allowSchema, denySchema } from './role-conditions.ts'
import type { RoleConditions } from './role-conditions.ts'
import { writeRoleSpec } from './role-document.ts'
import { whyNotKubernetesResource } from './role-kubernetes.ts'
import { optionsSchema } from './role-options.ts'

export type { RoleConditions, RoleRule } from './role-conditions.ts'

const everything = { '*': ['*'] }
const allPods = [{ kind: 'pod', namespace: '*', name: '*' }]
const allOfKubernetes = [{ kind: '*', namespace: '*', name: '*', verbs: ['*' as const] }]

/** v3 opened everything to whoever had a login; later versions open nothing that is not named. */
function withDefaults(version: string, allow: RoleConditions): RoleConditions {
  const wantsKubernetes = Object.keys(allow.kubernetes_labels).length > 0 || allow.kubernetes_labels_expression !== ''
  const resources = allow.kubernetes_resources
  const orResources = (all: RoleConditions['kubernetes_resources']) => (resources.length > 0 ? resources : all)
  if (version === 'v3') {
    const or = (selector: RoleConditions['node_labels']) => (Object.keys(selector).length > 0 ? selector : everything)
    return {
      ...allow,
      node_labels: allow.logins.length > 0 ? or(allow.node_labels) : allow.node_labels,
      app_labels: or(allow.app_labels),
      kubernetes_labels: or(allow.kubernetes_labels),
      db_labels: or(allow.db_labels),
      kubernetes_resources: orResources(allPods),
    }
  }
  if (!wantsKubernetes || version === 'v6') return allow
  return { ...allow, kubernetes_resources: orResources(version === 'v4' || version === 'v5' ? allPods : allOfKubernetes) }
}

const roleSpec = (version: string) =>
  z
    .strictObject({
      options: optionsSchema.nullish().transform((options) => options ?? optionsSchema.parse({})),
      allow: allowSchema.nullish().transform((allow) => withDefaults(version, allow ?? allowSchema.parse({}))),
      deny: denySchema.nullish().transform((deny) => deny ?? denySchema.parse({})),
    })
    .superRefine((spec, context) => {
      for (const part of ['allow', 'deny'] as const)
        spec[part].kubernetes_resources.forEach((resource, index) => {
          const message = whyNotKubernetesResource(version, resource)
          if (message !== undefined) context.addIssue({ code: 'custom', path: [part, 'kubernetes_resources', index], message })
        })
    })

export type RoleSpec = z.output<ReturnType<typeof roleSpec>>
export type RoleSpecInput = z.input<ReturnType<typeof roleSpec>>
export type Role = Resource<RoleSpec>
export type RoleInput = ResourceInput<RoleSpecInput>
export type RoleStore = ResourceStore<RoleSpec, RoleSpecInput>

/** Held by everybody without being listed; nobody may define it. */
export const implicitRoleName = 'default-implicit-role'

const noName = /[\p{Cc}/\\]|^\.{1,2}$|^\s|\s$/u

export const roleKind: ResourceKind<RoleSpec, RoleSpecInput> = {
  kind: 'role',
  versions: ['v6', 'v7', 'v5', 'v4', 'v3', 'v8'],
  spec: roleSpec,
  whyNotName(name) {
    if (name === implicitRoleName) return `the role name "${name}" is reserved`
    return noName.test(name) ? `the role name ${JSON.stringify(name)} may hold no slash and no control character` : undefined
  },
  existsText: (name) => `resource with name "${name}" already exists`,
  missingText: (name) => `resource with name "${name}" does not exist`,
  toDocument: writeRoleSpec,
}

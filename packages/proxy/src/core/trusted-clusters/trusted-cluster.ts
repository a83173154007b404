/** Roots that this cluster trusts, as documents: where each one is, and which of its roles become which of ours. */
import { z } from 'zod'
import { mapClaims, whyNotValue } from '../connectors/mapping.ts'
import { implicitRoleName } from '../access/role.ts'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from '../resources/resources.ts'
import { whyNotRootAddress } from './root-address.ts'

const text = z.string().max(255)
const optional = text.nullish().transform((value) => value || undefined)
const address = optional.superRefine((value, context) => {
  const message = value === undefined ? undefined : whyNotRootAddress(value)
  if (message !== undefined) context.addIssue({ code: 'custom', message })
})

const entry = z.strictObject({
  remote: text.superRefine((value, context) => {
    const message = whyNotValue(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message: value === '' ? 'name a role of the root' : message })
  }),
  local: z
    .array(text.min(1).refine((role) => role !== '*', { message: '"*" stands for no role of this cluster; name the roles' }))
    .min(1, 'name at least one role of this cluster')
    .max(100),
})
export type RoleMapEntry = z.output<typeof entry>

const roleMap = z
  .array(entry)
  .max(1000)
  .superRefine((entries, context) => {
    const seen = new Set<string>()
    for (const [index, { remote }] of entries.entries()) {
      if (seen.has(remote)) context.addIssue({ code: 'custom', path: [index, 'remote'], message: `"${remote}" is mapped twice` })
      seen.add(remote)
    }
  })

const trustedClusterSpec = z
  .strictObject({
    enabled: z
      .boolean()
      .nullish()
      .transform((value) => value ?? true),
    role_map: roleMap.nullish().transform((entries) => (entries && entries.length > 0 ? entries : undefined)),
    /** The older way: every role of the root becomes these. */
    roles: z
      .array(text.min(1).refine((role) => role !== '*', { message: '"*" stands for no role of this cluster; name the roles' }))
      .max(100)
      .nullish()
      .transform((roles) => (roles && roles.length > 0 ? roles : undefined)),
    /** Only on its way in: it is used once and never kept. */
    token: optional,
    web_proxy_addr: address.refine((value) => value !== undefined, { message: 'write the address of the root, as host:port' }),
    tunnel_addr: address,
    /** Ours: the root's certificate leads to the one with this key, for a root whose authority this machine does not know. */
    ca_pin: z
      .string()
      .regex(/^sha256:[0-9a-f]{64}$/, 'write it as sha256: and 64 hex digits')
      .nullish()
      .transform((value) => value ?? undefined),
  })
  .refine(({ role_map, roles }) => role_map === undefined || roles === undefined, {
    path: ['roles'],
    message: 'role_map and roles exclude each other; keep role_map',
  })
  .refine(({ role_map, roles }) => role_map !== undefined || roles !== undefined, {
    path: ['role_map'],
    message: 'say which roles of the root become which roles here; without that nobody could come in',
  })

export type TrustedClusterSpec = z.output<typeof trustedClusterSpec>
export type TrustedClusterSpecInput = z.input<typeof trustedClusterSpec>
export type TrustedCluster = Resource<TrustedClusterSpec>
export type TrustedClusterInput = ResourceInput<TrustedClusterSpecInput>
export type TrustedClusterStore = ResourceStore<TrustedClusterSpec, TrustedClusterSpecInput>

export const trustedClusterKind: ResourceKind<TrustedClusterSpec, TrustedClusterSpecInput> = {
  kind: 'trusted_cluster',
  versions: ['v2'],
  spec: () => trustedClusterSpec,
  existsText: (name) => `resource with name "${name}" already exists`,
  missingText: (name) => `resource with name "${name}" does not exist`,
}

/** `roles` as the mapping that it means. */
export const roleMapOf = ({ role_map, roles }: TrustedClusterSpec): readonly RoleMapEntry[] =>
  role_map ?? (roles ? [{ remote: '*', local: roles }] : [])

/** Roles of this cluster that the mapping names as they stand. */
export const namedRoles = (spec: TrustedClusterSpec): string[] => [
  ...new Set(roleMapOf(spec).flatMap(({ local }) => local.filter((role) => !role.includes('$')))),
]

/** Which roles of this cluster somebody has who has those at the root: all matches add up, what nothing matches is dropped. */
export function mapRoles(entries: readonly RoleMapEntry[], remote: readonly string[]): string[] {
  const mappings = entries.map(({ remote: value, local: roles }) => ({ claim: 'role', value, roles }))
  return mapClaims(mappings, { role: remote.filter((role) => role !== implicitRoleName) }).roles
}

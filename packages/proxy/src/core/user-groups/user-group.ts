/** Groups of people as documents of administrators, and how they are listed. */
import { z } from 'zod'
import type { InventoryKind } from '../inventory/entry.ts'
import type { Resource, ResourceKind } from '../resources/resources.ts'

const name = z.string().min(1).max(255)

const groupSpec = z.strictObject({
  /** Names of the applications that the group is for. */
  applications: z
    .array(name)
    .max(1000)
    .nullish()
    .transform((names) => [...new Set(names ?? [])]),
})
export type UserGroupSpec = z.output<typeof groupSpec>
export type UserGroupSpecInput = z.input<typeof groupSpec>

const itemSchema = z.object({
  id: z.string(),
  description: z.string().default(''),
  labels: z.record(z.string(), z.string()).default({}),
  applications: z.array(z.string()).default([]),
})
export type UserGroupItem = Readonly<z.output<typeof itemSchema>>
type ItemInput = z.input<typeof itemSchema>

export const userGroupKind: ResourceKind<UserGroupSpec, UserGroupSpecInput> = {
  kind: 'user_group',
  versions: ['v1'],
  spec: () => groupSpec,
  existsText: (group) => `user group "${group}" already exists`,
  missingText: (group) => `user group "${group}" is not found`,
}

export const userGroupInventory: InventoryKind<UserGroupItem, ItemInput, 'name' | 'description'> = {
  kind: userGroupKind.kind,
  version: 'v1',
  schema: itemSchema,
  nameOf: ({ id }) => id,
  textsOf: (group) => [group.id, group.description, friendlyNameOf(group) ?? ''],
  sortFields: { name: 'name', description: 'description' },
  standardSort: 'name',
  sortValue: ({ id, description }, field) => (field === 'name' ? id : description),
  specOf: ({ applications }) => ({ applications }),
}

export const itemOf = ({ metadata, spec }: Resource<UserGroupSpec>): ItemInput => ({
  id: metadata.name,
  description: metadata.description ?? '',
  labels: metadata.labels,
  applications: spec.applications,
})

interface Named {
  readonly labels: Readonly<Record<string, string>>
  readonly description: string
}

/** What people call something that Okta keeps; undefined for everything else. */
export function friendlyNameOf({ labels, description }: Named, label = 'teleport.internal/okta-group-name'): string | undefined {
  return labels['teleport.dev/origin'] === 'okta' ? labels[label] || description : undefined
}

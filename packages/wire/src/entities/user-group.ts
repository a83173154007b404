/** Groups of people as an identity provider or an administrator keeps them, with the applications that they are for. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { labelWire } from './label.ts'
import type { Label } from './label.ts'

const text = z._default(z.string(), '')

export const userGroupWire = z.object({
  name: z.string(),
  description: text,
  labels: listOf(labelWire),
  /** Of groups that an identity provider names. */
  friendlyName: z.optional(z.string()),
  applications: listOf(z.object({ name: z.string(), friendlyName: text })),
  /** True for one that is only shown because of the roles that the caller searches as: access has to be asked for. */
  requiresRequest: z.optional(z.boolean()),
})
export type UserGroupWire = z.output<typeof userGroupWire>

export interface UserGroup {
  name: string
  description: string
  labels: Label[]
  friendlyName: string
  applications: { name: string; friendlyName: string }[]
}

export const toUserGroup = ({ name, description, labels, friendlyName = '', applications }: UserGroupWire): UserGroup => ({
  name,
  description,
  labels,
  friendlyName,
  applications,
})

/** Ours: the effect of a role before it is saved, and the explanation of one decision. */
import * as z from 'zod/mini'
import { resourceKinds, verbs } from '../acl.ts'

const name = z.string().check(z.maxLength(255))

/** A resource that somebody gains or loses, with the principals (logins and the like) that change on it. */
export const effectItemWire = z.object({
  kind: z.string(),
  name: z.string(),
  /** What people call it: the host name of a server. */
  title: z.string(),
  principals: z.array(z.string()),
})
const rightWire = z.object({ resource: z.string(), verbs: z.array(z.string()) })

export const accessEffectWire = z.object({
  /** Name of the role in the document. */
  role: z.string(),
  /** False when the document would make a new role. */
  exists: z.boolean(),
  /** The document as it would be stored, and as it is stored now (empty when new): for comparing. */
  content: z.string(),
  before: z.string(),
  users: z.array(
    z.object({
      name: z.string(),
      gains: z.array(effectItemWire),
      losses: z.array(effectItemWire),
      /** Rights of rules: `{ resource: "role", verbs: ["create"] }`. */
      gainsRights: z.array(rightWire),
      losesRights: z.array(rightWire),
      /** True when the lists above were cut. */
      truncated: z.boolean(),
    }),
  ),
  /** Users that hold the role (also those whose access does not change). */
  holders: z.int(),
  /** How many resources the role alone would let a person without traits see, by kind. */
  reaches: z.record(z.string(), z.int()),
  /** True when there were more users or resources than were looked at. */
  truncated: z.boolean(),
})
export type AccessEffect = z.output<typeof accessEffectWire>

/** Either a right (`kind` and `verb`), or a resource (`resource`) with a principal where the kind has them. */
export const accessQuestionWire = z.object({
  user: name,
  right: z.optional(z.object({ kind: z.enum(resourceKinds), verb: z.enum(verbs) })),
  resource: z.optional(z.object({ kind: name, name, login: z.optional(name) })),
})

export const accessExplanationWire = z.object({
  allowed: z.boolean(),
  /** One sentence in product words. */
  reason: z.string(),
  /** Every role of the user, and what each said. */
  steps: z.array(
    z.object({
      role: z.string(),
      effect: z.enum(['allow', 'deny', 'none']),
      /** What in the role said so: `allow.node_labels`, `deny.logins`, `allow.rules[2]`. */
      part: z.string(),
      detail: z.string(),
    }),
  ),
})
export type AccessExplanation = z.output<typeof accessExplanationWire>

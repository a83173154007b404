/** A resource as administrators see it: a document in YAML under an id. */
import * as z from 'zod/mini'

/** `id` is `kind:name`. `content` is one YAML document, keys of every map in alphabetic order. */
export const resourceItemWire = z.object({
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  content: z.string(),
  description: z.catch(z.optional(z.string()), undefined),
})
export type ResourceItem = z.output<typeof resourceItemWire>

/** Lists are bare arrays; later peers send `{ items, startKey }`, and for connectors `{ connectors }`. */
const items = z.nullish(z.array(resourceItemWire))
export const resourceItemsWire = z.pipe(
  z.union([items, z.object({ items: z.optional(items), connectors: z.optional(items) })]),
  z.transform((answer): ResourceItem[] => (Array.isArray(answer) ? answer : (answer?.items ?? answer?.connectors ?? []))),
)

/** One YAML or JSON document. */
export const resourceContent = z.object({ content: z.string().check(z.maxLength(1024 * 1024)) })

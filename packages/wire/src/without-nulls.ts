/** Peers in other languages send null for what they leave unset. */

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null

/** A copy without the fields that a schema refused although they were just null: they count as absent. */
export function withoutNulls(value: unknown, issues: readonly { readonly path: readonly PropertyKey[] }[]): unknown {
  const top: Record<PropertyKey, unknown> = { value }
  // Only what lies on the way is copied, and once: somebody may send what is deeper than any copy of it could go.
  const copies = new Set<unknown>()
  for (const { path } of issues) {
    let holder = top
    let field: PropertyKey = 'value'
    for (const step of path) {
      const inner: unknown = holder[field]
      if (!isObject(inner)) {
        holder = {}
        break
      }
      if (!copies.has(inner)) copies.add((holder[field] = Array.isArray(inner) ? [...(inner as unknown[])] : { ...inner }))
      holder = holder[field] as typeof inner
      field = step
    }
    if (holder !== top && !Array.isArray(holder) && holder[field] === null) delete holder[field]
  }
  return top['value']
}

/** Peers in other languages send null for what they leave unset. */

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null

/** A copy without the fields that a schema refused although they were just null: they count as absent. */
export function withoutNulls(value: unknown, issues: readonly { readonly path: readonly PropertyKey[] }[]): unknown {
  const top: Record<PropertyKey, unknown> = { value }
  // Only what lies on the way is copied, and once: somebody may send what is deeper than any copy of it could go.
  const copies = new Set<unknown>()
  for (const { path } of issues) {
    let holder = top
    let field: PropertyKey | undefined = 'value'
    for (const step of path) {
      const inner: unknown = field === undefined ? undefined : holder[field]
      if (field === undefined || !isObject(inner)) {
        field = undefined
        break
      }
      const copy = copies.has(inner) ? inner : ((Array.isArray(inner) ? [...inner] : { ...inner }) as typeof inner)
      copies.add(copy)
      holder[field] = copy
      holder = copy
      field = step
    }
    if (field !== undefined && holder !== top && !Array.isArray(holder) && holder[field] === null) delete holder[field]
  }
  return top['value']
}

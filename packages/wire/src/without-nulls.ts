/** Peers in other languages send null for what they leave unset. */

const isObject = (value: unknown): value is Record<PropertyKey, unknown> => typeof value === 'object' && value !== null

/** A copy without the fields that a schema refused although they were just null: they count as absent. */
export function withoutNulls(value: unknown, issues: readonly { readonly path: readonly PropertyKey[] }[]): unknown {
  const copy = structuredClone(value)
  for (const { path } of issues) {
    const field = path.at(-1)
    const holder = path.slice(0, -1).reduce<unknown>((inner, step) => (isObject(inner) ? inner[step] : undefined), copy)
    if (field !== undefined && isObject(holder) && !Array.isArray(holder) && holder[field] === null) delete holder[field]
  }
  return copy
}

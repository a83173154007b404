/** A name to suggest: `base`, or the first of `base-2`, `base-3`, … that no device has. */
export function freeName(base: string, taken: readonly string[]): string {
  let name = base
  for (let count = 2; taken.includes(name); count += 1) name = `${base}-${count}`
  return name
}

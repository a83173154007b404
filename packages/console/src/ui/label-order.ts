/** One label of a resource. */
export type Label = { name: string; value: string }

const hiddenPrefixes = ['teleport.internal/', 'teleport.hidden/']
const lastName = 'teleport.dev/origin'

/** The labels people see: internal ones left out, sorted by name, the origin label last. */
export function visibleLabels(labels: readonly Label[]): Label[] {
  return labels
    .filter((label) => !hiddenPrefixes.some((prefix) => label.name.startsWith(prefix)))
    .toSorted((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

function rank(label: Label): number {
  return label.name === lastName ? 1 : 0
}

/** Who came and who went between two readings of a session's parties. A person who joined twice counts twice. */
export function partyChanges(before: readonly string[], after: readonly string[]): { joined: string[]; left: string[] } {
  return { joined: missing(before, after), left: missing(after, before) }
}

/** Names of `all` that `base` has not, each as often as it is missing. */
function missing(base: readonly string[], all: readonly string[]): string[] {
  const left = [...base]
  return all.filter((name) => {
    const index = left.indexOf(name)
    if (index < 0) return true
    left.splice(index, 1)
    return false
  })
}

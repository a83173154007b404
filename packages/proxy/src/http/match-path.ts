/** The parameters of a path that fits a pattern such as `/sites/{clusterId}/connect`, decoded; undefined when it does not fit. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ''
    const name = /^\{(\w+)\}$/.exec(segment)?.[1]
    if (name === undefined) {
      if (segment !== value) return undefined
      continue
    }
    try {
      params[name] = decodeURIComponent(value)
    } catch {
      return undefined // not percent-encoding: no path of ours
    }
    if (params[name] === '') return undefined
  }
  return params
}

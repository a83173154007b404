/** From what a provider says about somebody to the roles that they get here. */
import { RE2JS } from 're2js'

/** Claim → values. Names come from outside: only own properties count. */
export type Claims = Readonly<Record<string, readonly string[]>>

export interface Mapping {
  claim: string
  /** Literal with `*` for any text, or `^…$` as a regular expression (RE2). Upper and lower case differ. */
  value: string
  /** May use `$1` for the first group of the expression (or the first `*`). */
  roles: readonly string[]
  /** The value is taken as it stands: `*` and `^` mean nothing. */
  exact?: boolean
}

export interface Mapped {
  roles: string[]
  /** Mappings that matched, with the roles that each gave. */
  matched: { claim: string; value: string; roles: string[] }[]
  /** Mappings that would match if upper and lower case were the same: almost always a slip. */
  warnings: string[]
}

const isExpression = (text: string): boolean => text.startsWith('^') && text.endsWith('$')

function sourceOf(value: string): string {
  if (isExpression(value)) return value
  const literal = value
    .split('*')
    .map((part) => RE2JS.quote(part))
    .join('(.*)')
  return `^${literal}$`
}

/** Why a value cannot be used; undefined when it can. */
export function whyNotValue(value: string): string | undefined {
  if (value === '') return 'give a value; * stands for any'
  try {
    RE2JS.compile(sourceOf(value))
    return undefined
  } catch (error) {
    return `"${value}" is not a valid expression: ${error instanceof Error ? error.message : String(error)}`
  }
}

export function mapClaims(mappings: readonly Mapping[], claims: Claims): Mapped {
  const matched: Mapped['matched'] = []
  const warnings: string[] = []
  for (const { claim, value, roles, exact = false } of mappings) {
    const values = Object.hasOwn(claims, claim) ? (claims[claim] ?? []) : []
    const found = exact
      ? values.flatMap((given) => (given === value ? roles : []))
      : values.flatMap((given) => rolesFor(value, given, roles))
    if (found.length > 0) matched.push({ claim, value, roles: [...new Set(found)] })
    else if (exact || !isExpression(value)) {
      const similar = values.find((given) => given.toLowerCase() === value.toLowerCase())
      if (similar !== undefined) warnings.push(`"${claim}" is "${similar}", the connector says "${value}": upper and lower case differ`)
    }
  }
  return { roles: [...new Set(matched.flatMap(({ roles }) => roles))], matched, warnings }
}

function rolesFor(value: string, given: string, roles: readonly string[]): string[] {
  const pattern = RE2JS.compile(sourceOf(value), RE2JS.DOTALL)
  const matcher = pattern.matcher(given)
  if (!matcher.matches()) return []
  const group = (name: string): string => {
    const at = /^\d+$/.test(name) ? Number(name) : pattern.namedGroups()[name]
    return at !== undefined && at <= matcher.groupCount() ? (matcher.group(at) ?? '') : ''
  }
  return roles
    .map((role) => role.replaceAll(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, bare?: string) => group(braced ?? bare ?? '')))
    .filter((role) => role !== '')
}

/** A role as its document shows it: what is empty is left out, one label value stands without its list. */
import type { RoleConditions } from './role-conditions.ts'

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

const filled = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).flatMap(([key, value]): [string, unknown][] => (isEmpty(value) ? [] : [[key, value]])))

/** A key that no value may have stays as it is: without it the selector would match more. */
const shortSelector = (selector: Readonly<Record<string, readonly string[]>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(selector).map(([key, values]) => [key, values.length === 1 ? values[0] : values]))

const writeConditions = (conditions: RoleConditions): Record<string, unknown> =>
  filled(
    Object.fromEntries(
      Object.entries(conditions).map(([key, value]: [string, unknown]) => {
        if (key.endsWith('_labels')) return [key, shortSelector(value as RoleConditions['node_labels'])]
        if (Array.isArray(value))
          return [key, value.map((item: unknown) => (typeof item === 'object' && item !== null ? filled(item) : item))]
        return [key, typeof value === 'object' && value !== null ? filled(value) : value]
      }),
    ),
  )

export const writeRoleSpec = ({ options, allow, deny }: { options: object; allow: RoleConditions; deny: RoleConditions }): unknown => ({
  options: filled(options),
  allow: writeConditions(allow),
  deny: writeConditions(deny),
})

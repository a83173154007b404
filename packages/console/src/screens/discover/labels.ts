/** Which labels an agent serves, and whether they are those of a resource. */
import type { Label } from '@sallyport/wire/entities/label.ts'
import { isWhole, splitLabel } from '../../parts/typed-labels.ts'
import type { Problem } from '../../parts/validators/problem.ts'

/** Values by label, as agents match them. */
export type Matchers = Record<string, string[]>

const everything = '*'

/** As they are typed: labels, of which a key may come with several values; a star for everything. */
export function matchersOf(typed: readonly string[]): Matchers {
  const matchers: Matchers = {}
  for (const { name, value } of typed.map((text) => (text === everything ? { name: everything, value: everything } : splitLabel(text))))
    matchers[name] = [...(matchers[name] ?? []), value]
  return matchers
}

/** Whether an agent with these matchers serves what has the labels. */
export const covers = (matchers: Readonly<Matchers>, labels: readonly Label[]): boolean => {
  const wanted = Object.entries(matchers)
  return (
    wanted.length > 0 &&
    wanted.every(([name, values]) =>
      name === everything
        ? values.includes(everything)
        : labels.some((label) => label.name === name && (values.includes(label.value) || values.includes(everything))),
    )
  )
}

export function whyNotMatchers(typed: readonly string[], labels: readonly Label[]): Problem {
  if (typed.length === 0) return 'Enter at least one label, or *'
  if (typed.some((text) => text !== everything && !isWhole(splitLabel(text)))) return 'Enter both key and value'
  if (covers(matchersOf(typed), labels)) return undefined
  const has = labels.map(({ name, value }) => `${name}=${value}`).join(', ')
  return `An agent with these labels would not serve the database, which has ${has || 'none'}`
}

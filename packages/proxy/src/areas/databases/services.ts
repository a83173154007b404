/** The agents that serve databases, each with what it serves. */
import type { DatabaseServiceWire } from '@sallyport/wire/entities/database.ts'
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import type { LabelSelector } from '../../core/access/match.ts'
import type { DatabaseAgent } from '../../core/databases/database-agents.ts'
import type { Databases } from '../../core/databases/database.ts'
import { compileListQuery, isTrueOf } from '../../core/inventory/list-predicate.ts'
import type { Queried } from '../../core/inventory/list-predicate.ts'
import { parseSort, searchWords } from '../../core/inventory/list-query.ts'
import type { ListRequest } from '../../core/inventory/list-query.ts'

const kind = 'db_service'

/** A service has no labels of its own. */
const queried = (name: string): Queried => ({
  name,
  labels: {},
  resource: () => ({ kind, metadata: { name } }),
  spec: () => undefined,
})

export interface ServicesDeps {
  registry: Pick<Databases['registry'], 'items'>
  /** Those that serve documents by labels. */
  agents: readonly DatabaseAgent[]
  access: AccessChecker
}

/** By name; a page begins behind the name that is its key. Only databases that the caller may see are told of. */
export function pageOfServices(
  { registry, agents, access }: ServicesDeps,
  { limit, startKey, search, query, sort }: ListRequest,
): Page<DatabaseServiceWire> {
  // By name alone, so whatever is asked for is refused.
  parseSort(sort, kind, {}, kind)
  const compiled = compileListQuery(query)
  const matches = (name: string): boolean => !compiled || isTrueOf(compiled, queried(name), (word) => name.includes(word))
  const matchers = new Map<string, Map<string, LabelSelector>>()
  /** What search looks at besides the name. */
  const texts = new Map<string, string>()
  const add = (id: string, selector: LabelSelector): void => {
    const own = matchers.get(id) ?? new Map<string, LabelSelector>()
    matchers.set(id, own.set(JSON.stringify(selector), selector))
  }
  for (const { id, labels, matchers: selector } of agents) {
    add(id, selector)
    texts.set(id, Object.entries(labels).flat().join(' ').toLowerCase())
  }
  for (const { via, labels } of registry.items(({ via, labels }) => via !== undefined && access.canSee('db', labels)))
    if (via !== undefined) add(via, Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]])))
  const words = searchWords(search ?? '')
  const isFound = (name: string): boolean => words.every((word) => `${name} ${texts.get(name) ?? ''}`.includes(word)) && matches(name)
  const names = [...matchers.keys()].filter(isFound).toSorted()
  const from = startKey ? names.findIndex((name) => name > startKey) : 0
  const shown = from === -1 ? [] : names.slice(from, from + limit)
  const last = shown.at(-1)
  return {
    items: shown.map((name) => ({
      name,
      resource_matchers: [...(matchers.get(name)?.values() ?? [])].map((labels) => ({
        labels: Object.fromEntries(Object.entries(labels).map(([label, values]) => [label, [...values]])),
      })),
    })),
    startKey: last !== undefined && last !== names.at(-1) ? last : '',
    totalCount: names.length,
  }
}

/** The agents that serve databases, each with what it serves. */
import type { DatabaseServiceWire } from '@sallyport/wire/entities/database.ts'
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import type { LabelSelector } from '../../core/access/match.ts'
import type { DatabaseAgent } from '../../core/databases/database-agents.ts'
import type { Databases } from '../../core/databases/database.ts'
import type { ListRequest } from '../../core/inventory/list-query.ts'
import { pageOfRows } from '../../core/inventory/page-of-rows.ts'

const kind = 'db_service'

export interface ServicesDeps {
  registry: Pick<Databases['registry'], 'items'>
  /** Those that serve documents by labels. */
  agents: readonly DatabaseAgent[]
  access: AccessChecker
}

/** By name; a page begins behind the name that is its key. Only databases that the caller may see are told of. */
export function pageOfServices({ registry, agents, access }: ServicesDeps, request: ListRequest): Page<DatabaseServiceWire> {
  const matchers = new Map<string, Map<string, LabelSelector>>()
  /** What search looks at besides the name. */
  const texts = new Map<string, string[]>()
  const add = (id: string, selector: LabelSelector): void => {
    const own = matchers.get(id) ?? new Map<string, LabelSelector>()
    matchers.set(id, own.set(JSON.stringify(selector), selector))
  }
  for (const { id, labels, matchers: selector } of agents) {
    add(id, selector)
    texts.set(id, Object.entries(labels).flat())
  }
  for (const { via, labels } of registry.items(({ via, labels }) => via !== undefined && access.canSee('db', labels)))
    if (via !== undefined) add(via, Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, [value]])))
  const page = pageOfRows(
    [...matchers.keys()],
    {
      name: kind,
      isSortable: false,
      nameOf: (name) => name,
      textsOf: (name) => texts.get(name) ?? [],
      // A service has no labels of its own.
      queried: (name) => ({ labels: {}, resource: () => ({ kind, metadata: { name } }), spec: () => undefined }),
    },
    request,
  )
  return {
    ...page,
    items: page.items.map((name) => ({
      name,
      resource_matchers: [...(matchers.get(name)?.values() ?? [])].map((labels) => ({
        labels: Object.fromEntries(Object.entries(labels).map(([label, values]) => [label, [...values]])),
      })),
    })),
  }
}

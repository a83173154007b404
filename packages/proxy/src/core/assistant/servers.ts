/** The servers that somebody may see, as they are shown to the model: names, labels and usable logins. */
import { toLabels } from '@sallyport/wire/entities/label.ts'
import { accessTo, requestedOf } from '../access/assumed.ts'
import type { Actor } from '../caller.ts'
import type { Inventory, Node } from '../inventory/inventory.ts'

export interface KnownServer {
  hostname: string
  labels: Readonly<Record<string, string>>
  logins: readonly string[]
}

export interface Servers {
  /** Those that match all words, and how many there are. */
  search(words: string): { servers: KnownServer[]; total: number }
  /** Those with one of the names, or with all of the labels. */
  match(wanted: { nodes: readonly string[]; labels: readonly { key: string; value: string }[] }): KnownServer[]
}

/** Told to the model at a time. */
const mostTold = 40
const mostLabels = 20

/** What `actor` sees at this moment. */
export function serversOf(inventory: Pick<Inventory, 'list' | 'nodes'>, actor: Actor): Servers {
  const viewers = [actor.access, ...requestedOf(actor, 'node')]
  const toKnown = ({ id, hostname, labels, logins }: Node): KnownServer => ({
    hostname,
    labels: Object.fromEntries(
      toLabels(labels)
        .slice(0, mostLabels)
        .map(({ name, value }) => [name, value]),
    ),
    logins: accessTo(actor, 'node', id).nodeLogins(labels, logins),
  })
  return {
    search(words) {
      const { items, totalCount } = inventory.list({ limit: mostTold, search: words }, viewers)
      return { servers: items.map(toKnown), total: totalCount }
    },
    match({ nodes, labels }) {
      const isWanted = (node: Node): boolean =>
        nodes.includes(node.hostname) || (labels.length > 0 && labels.every(({ key, value }) => node.labels[key] === value))
      const isSeen = (node: Node): boolean => viewers.some((viewer) => viewer.canSeeNode(node.labels, node.id))
      return inventory
        .nodes()
        .filter((node) => isWanted(node) && isSeen(node))
        .map(toKnown)
    },
  }
}

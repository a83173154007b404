/** What is registered right now: heartbeats, kept in the store and in an index in memory. A heartbeat that is not renewed is forgotten. */
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { badParameter } from '../errors.ts'
import { compileListQuery } from './list-predicate.ts'
import type { Queried } from './list-predicate.ts'
import { parseSort, searchWords } from './list-query.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { ListRequest } from './list-query.ts'
import { createSortedIndex } from './sorted-index.ts'

/** A node that is silent for longer is gone from every list. Agents send a heartbeat every minute. */
export const heartbeatTtl = 10 * 60_000
const sweepEvery = 30_000

const shortText = z.string().max(1024)
const nodeSchema = z.object({
  id: z.uuid(),
  hostname: z.string().min(1).max(255),
  /** `host:port`; empty behind a tunnel. */
  addr: shortText.default(''),
  tunnel: z.boolean(),
  labels: z.record(z.string().min(1).max(255), shortText).default({}),
  os: shortText.default(''),
  version: shortText.default(''),
  subKind: shortText.default(''),
  /** Logins that exist on the host; absent when the host does not tell. */
  logins: z.array(z.string().min(1).max(255)).max(10_000).optional(),
})
export type Node = Readonly<z.output<typeof nodeSchema>>
/** `expires`: epoch milliseconds; the standard lifetime from now when absent. */
type NodeInput = z.input<typeof nodeSchema>
export type NodeHeartbeat = NodeInput & { expires?: number }

export type Resolution = { kind: 'found'; node: Node } | { kind: 'ambiguous'; nodes: Node[] } | { kind: 'none' }

export interface Inventory {
  /** Registers a node or renews it. Throws bad parameter, LockRefusal. */
  heartbeat(node: NodeHeartbeat): Promise<void>
  remove(id: string): Promise<void>
  /** A node that some document tells of: it is there, on this proxy, until the result is disposed or `expires` (epoch milliseconds) comes. */
  place(node: NodeInput, expires: number): Disposable
  node(id: string): Node | undefined
  count(): number
  /** All of them, in no order. */
  nodes(): Node[]
  /** Nodes that pass `accepts`, by the list grammar. A sort field that nodes do not have is refused with 501, a query that cannot be read with 400. */
  list(request: ListRequest, accepts: (node: Node) => boolean): Page<Node>
  some(accepts: (node: Node) => boolean): boolean
  /** A node by its id, else by exact hostname, else by exact address. Only nodes that pass `accepts` count. */
  resolve(serverId: string, accepts?: (node: Node) => boolean): Resolution
}

interface Entry {
  node: Node
  document: string
  expires: number
  /** All that search looks at, in lower case, fields apart by a character that no word holds. */
  text: string
}

const kind = 'node'
const sortFields = { name: 'name', hostname: 'hostname', address: 'address', addr: 'address' } as const
type SortField = (typeof sortFields)[keyof typeof sortFields]
const apart = '\n'

function sortValue({ node }: Entry, field: SortField): string {
  if (field === 'name') return node.id
  return (field === 'hostname' ? node.hostname : node.addr).toLowerCase()
}

function entryOf(node: Node, document: string, expires: number): Entry {
  const fields = [node.id, node.hostname, node.addr, ...Object.entries(node.labels).flat()]
  return { node, document, expires, text: fields.join(apart).toLowerCase() }
}

const matchesWord = ({ node, text }: Entry, word: string): boolean => text.includes(word) || (word === 'tunnel' && node.tunnel)

/** What queries see of a node, in the spelling of the wire's documents. */
const toQueried = (entry: Entry): Queried => ({
  name: entry.node.hostname,
  labels: entry.node.labels,
  matchesWord: (word) => matchesWord(entry, word),
  resource: () => {
    const { id, hostname, addr, tunnel, labels, version, subKind } = entry.node
    return {
      kind,
      version: 'v2',
      sub_kind: subKind,
      metadata: { name: id, labels, ...(entry.expires < Infinity && { expires: new Date(entry.expires).toISOString() }) },
      spec: { hostname, addr, use_tunnel: tunnel, version },
    }
  },
})

interface InventoryDeps {
  db: Kysely<Database>
  clock: Clock
  locks: Pick<LockView, 'require'>
}

export async function openInventory({ db, clock, locks }: InventoryDeps): Promise<Inventory & AsyncDisposable> {
  const entries = new Map<string, Entry>()
  const index = createSortedIndex<Entry, SortField>(
    () => entries.values(),
    sortValue,
    ({ node }) => node.id,
  )
  for (const row of await db.selectFrom('inventory').selectAll().where('kind', '=', kind).where('expires', '>', clock.now()).execute())
    entries.set(row.id, entryOf(nodeSchema.parse(JSON.parse(row.document)), row.document, row.expires))

  const forget = (id: string): void => {
    if (entries.delete(id)) index.invalidate()
  }
  const sweep = async (): Promise<void> => {
    const now = clock.now()
    for (const [id, { expires }] of entries) if (expires <= now) forget(id)
    await db.deleteFrom('inventory').where('expires', '<=', now).execute()
  }
  // A sweep that fails costs nothing but rows that the next one takes: expired entries are never shown.
  const timer = setInterval(() => void sweep().catch(() => undefined), sweepEvery).unref()

  /** Heartbeats end at their exact time, whenever the sweep comes. */
  const isLive = (entry: Entry): boolean => entry.expires > clock.now()
  const live = function* (accepts: (node: Node) => boolean): Generator<Node> {
    for (const entry of entries.values()) if (isLive(entry) && accepts(entry.node)) yield entry.node
  }
  const node = (id: string): Node | undefined => {
    const entry = entries.get(id)
    return entry && isLive(entry) ? entry.node : undefined
  }

  return {
    async heartbeat({ expires = clock.now() + heartbeatTtl, ...given }) {
      const parsed = nodeSchema.safeParse(given)
      if (!parsed.success) throw badParameter(`heartbeat refused: ${z.prettifyError(parsed.error)}`, { cause: parsed.error })
      const { id } = parsed.data
      locks.require({ node: id })
      const document = JSON.stringify(parsed.data)
      await db
        .insertInto('inventory')
        .values({ kind, id, document, expires })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet({ document, expires }))
        .execute()
      const known = entries.get(id)
      if (known?.document === document) known.expires = expires
      else {
        entries.set(id, entryOf(parsed.data, document, expires))
        index.invalidate()
      }
    },
    async remove(id) {
      await db.deleteFrom('inventory').where('kind', '=', kind).where('id', '=', id).execute()
      forget(id)
    },
    place(given, expires) {
      const placed = entryOf(nodeSchema.parse(given), '', expires)
      const { id } = placed.node
      entries.set(id, placed)
      index.invalidate()
      return { [Symbol.dispose]: () => void (entries.get(id) === placed && forget(id)) }
    },
    node,
    count: () => entries.values().reduce((sum, entry) => sum + (isLive(entry) ? 1 : 0), 0),
    list({ limit, startKey, query, search, sort }, accepts) {
      const passes = compileListQuery(query)
      const words = searchWords(search ?? '')
      const matching = (entry: Entry): boolean =>
        isLive(entry) && accepts(entry.node) && words.every((word) => matchesWord(entry, word)) && (passes?.(toQueried(entry)) ?? true)
      const page = index.page({ sort: parseSort(sort, kind, sortFields, 'name'), limit, startKey, accepts: matching })
      return { ...page, items: page.items.map((entry) => entry.node) }
    },
    nodes: () => [...live(() => true)],
    some: (accepts) => !live(accepts).next().done,
    resolve(serverId, accepts = () => true) {
      // Nodes behind tunnels have no address; no name is not theirs.
      if (serverId === '') return { kind: 'none' }
      const byId = node(serverId.toLowerCase())
      if (byId) return accepts(byId) ? { kind: 'found', node: byId } : { kind: 'none' }
      for (const field of ['hostname', 'addr'] as const) {
        const nodes = [...live((candidate) => candidate[field] === serverId && accepts(candidate))]
        const [first] = nodes
        if (first) return nodes.length === 1 ? { kind: 'found', node: first } : { kind: 'ambiguous', nodes }
      }
      return { kind: 'none' }
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
    },
  }
}

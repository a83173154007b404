/**
 * What is registered right now: heartbeats, kept in the store and in an index in memory. A heartbeat that is not renewed is
 * forgotten. The index follows the store: with several proxies on one database each lists what any of them hears from.
 */
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database, Store } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { badParameter } from '../errors.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { Log } from '../log.ts'
import { Entry, nodeKind, ownText, revisionOf, sortFields } from './entry.ts'
import type { EntryFacts, SortField } from './entry.ts'
import { followNodes } from './follow-nodes.ts'
import { createLabelSets } from './label-sets.ts'
import { compileListQuery } from './list-predicate.ts'
import { parseSort, searchWords } from './list-query.ts'
import type { ListRequest } from './list-query.ts'
import { createNodeRows } from './node-rows.ts'
import type { NodeRow } from './node-rows.ts'
import { nodeSchema } from './node.ts'
import type { Node, NodeInput } from './node.ts'
import { createSortedIndex } from './sorted-index.ts'
import { createTextColumn } from './text-column.ts'

export type { Node } from './node.ts'

/** A node that is silent for longer is gone from every list. Agents send a heartbeat every minute. */
export const heartbeatTtl = 10 * 60_000
const sweepEvery = 30_000
/** Whether another proxy heard from a node is looked up when less than this is left of it. Longer than from one sweep to the next. */
const renewalCheck = 45_000

/** `expires`: epoch milliseconds; the standard lifetime from now when absent. */
export type NodeHeartbeat = NodeInput & { expires?: number }

export type Resolution = { kind: 'found'; node: Node } | { kind: 'ambiguous'; nodes: Node[] } | { kind: 'none' }

export interface Inventory {
  /** Registers a node or renews it. Throws bad parameter, LockRefusal. */
  heartbeat(node: NodeHeartbeat): Promise<void>
  remove(id: string): Promise<void>
  /** A node that some document tells of: it is there, on this proxy, until the result is disposed or `expires` (epoch milliseconds) comes. */
  place(node: NodeInput, expires: number): Disposable
  node(id: string): Node | undefined
  /** Whether a node is there and another proxy was the last to hear from it. */
  isElsewhere(id: string): boolean
  count(): number
  /** All of them, in no order. */
  nodes(): Node[]
  /** Nodes that one of the viewers sees, by the list grammar. A sort field that nodes do not have is refused with 501, a query that cannot be read with 400. */
  list(request: ListRequest, viewers: readonly NodeViewer[]): Page<Node>
  some(accepts: (node: Node) => boolean): boolean
  /** A node by its id, else by exact hostname, else by exact address. Only nodes that pass `accepts` count. */
  resolve(serverId: string, accepts?: (node: Node) => boolean): Resolution
}

/** Somebody whose roles show some nodes: the same answer for the same labels at all times. */
export interface NodeViewer {
  canSeeNode(labels: Node['labels']): boolean
}

interface InventoryDeps {
  db: Kysely<Database>
  /** Absent where nobody else writes to the store. */
  listen?: Store['listen']
  clock: Clock
  locks: Pick<LockView, 'require'>
  log: Log
}

export async function openInventory({ db, listen, clock, locks, log }: InventoryDeps): Promise<Inventory & AsyncDisposable> {
  const rows = createNodeRows(db)
  const entries = new Map<string, Entry>()
  const labelSets = createLabelSets()
  const ownTexts = createTextColumn()
  const index = createSortedIndex<Entry, SortField>(
    (entry, field) => entry.sortValue(field),
    ({ node }) => node.id,
  )
  /** No entry expires before. */
  let soonest = Infinity
  const forget = (id: string): void => {
    const entry = entries.get(id)
    if (!entry) return
    entries.delete(id)
    index.remove(entry)
    labelSets.giveBack(entry.labelSet)
    ownTexts.remove(entry.slot)
  }
  const put = (given: Node, facts: EntryFacts): Entry => {
    forget(given.id)
    const entry = new Entry(given, labelSets.take(given.labels), ownTexts.add(ownText(given)), facts)
    entries.set(given.id, entry)
    index.add(entry)
    soonest = Math.min(soonest, facts.expires)
    return entry
  }
  /** Placed ones are no heartbeats: the store says nothing about them. */
  const isStored = ({ revision }: Entry): boolean => revision !== ''

  function take({ id, document, expires }: NodeRow, isElsewhere: boolean): void {
    const known = entries.get(id)
    if (known && !isStored(known)) return
    const revision = revisionOf(document)
    if (known?.revision !== revision) {
      // Proxies of different versions may share a store.
      const node = nodeSchema.safeParse(JSON.parse(document))
      if (!node.success) return log.warn({ err: node.error, node: id }, 'a stored server cannot be read and is not listed')
      put(node.data, { revision, expires, isElsewhere })
      return
    }
    if (expires <= known.expires) return
    known.expires = expires
    known.isElsewhere = isElsewhere
  }
  /** `ids`: what was asked for; `stored`: what there is of it. */
  function takeAll(ids: Iterable<string>, stored: readonly NodeRow[], isElsewhere: boolean): void {
    const found = new Set(stored.map(({ id }) => id))
    for (const id of ids) {
      const entry = entries.get(id)
      if (entry && isStored(entry) && !found.has(id)) forget(id)
    }
    for (const row of stored) take(row, isElsewhere)
  }
  let isLoaded = false
  const following = await followNodes(
    { rows, listen, log },
    {
      onAll(stored) {
        takeAll([...entries.keys()], stored, isLoaded)
        isLoaded = true
      },
      onChanged: (ids, stored) => takeAll(ids, stored, true),
    },
  )

  /** That another proxy heard from a node is told by nobody when the node says what it said before. */
  async function renew(now: number): Promise<void> {
    const ending = [...entries.values()].filter((entry) => isStored(entry) && entry.expires <= now + renewalCheck)
    const expiries = await rows.expiries(ending.map(({ node }) => node.id))
    for (const entry of ending) {
      const { id } = entry.node
      if (entries.get(id) !== entry) continue
      const expires = expiries.get(id)
      if (expires === undefined && entry.expires <= now) forget(id)
      else if (expires !== undefined && expires > entry.expires) {
        entry.expires = expires
        entry.isElsewhere = true
      }
    }
  }
  const sweep = async (): Promise<void> => {
    const now = clock.now()
    for (const [id, entry] of entries) if (!isStored(entry) && entry.expires <= now) forget(id)
    await rows.removeExpired(now)
    await renew(now)
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

  /** Mostly known without a look at each. */
  const areNoneExpired = (now: number): boolean => {
    if (now < soonest) return true
    soonest = entries.values().reduce((least, { expires }) => Math.min(least, expires), Infinity)
    return now < soonest
  }

  return {
    async heartbeat({ expires = clock.now() + heartbeatTtl, ...given }) {
      const parsed = nodeSchema.safeParse(given)
      if (!parsed.success) throw badParameter(`heartbeat refused: ${z.prettifyError(parsed.error)}`, { cause: parsed.error })
      const { id } = parsed.data
      locks.require({ node: id })
      const document = JSON.stringify(parsed.data)
      await rows.write({ id, document, expires })
      const known = entries.get(id)
      const revision = revisionOf(document)
      if (known?.revision === revision) Object.assign(known, { expires, isElsewhere: false })
      else put(parsed.data, { revision, expires, isElsewhere: false })
    },
    async remove(id) {
      await rows.remove(id)
      forget(id)
    },
    place(given, expires) {
      const placed = put(nodeSchema.parse(given), { revision: '', expires, isElsewhere: false })
      const { id } = placed.node
      return { [Symbol.dispose]: () => void (entries.get(id) === placed && forget(id)) }
    },
    node,
    isElsewhere: (id) => node(id) !== undefined && entries.get(id)?.isElsewhere === true,
    count: () => entries.values().reduce((sum, entry) => sum + (isLive(entry) ? 1 : 0), 0),
    list({ limit, startKey, query, search, sort }, viewers) {
      const passes = compileListQuery(query)
      const words = searchWords(search ?? '').map((word) => ({ word, own: ownTexts.search(word), labels: labelSets.search(word) }))
      const now = clock.now()
      const areAllLive = areNoneExpired(now)
      const page = index.page({
        sort: parseSort(sort, nodeKind, sortFields, 'name'),
        limit,
        startKey,
        views: viewers.map((viewer) => ({ of: viewer, accepts: ({ labels }) => viewer.canSeeNode(labels) })),
        accepts(entry) {
          if (!areAllLive && entry.expires <= now) return false
          for (const { word, own, labels } of words)
            if (own[entry.slot] !== 1 && labels[entry.labelSet.slot] !== 1 && !(word === 'tunnel' && entry.node.tunnel)) return false
          return passes === undefined || passes(entry)
        },
      })
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
      await following[Symbol.asyncDispose]()
    },
  }
}

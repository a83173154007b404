/**
 * What of one kind is registered right now: heartbeats, kept in the store and in an index in memory. A heartbeat that is
 * not renewed is forgotten. The index follows the store: with several proxies on one database each lists what any of them
 * hears from. What stands in documents is placed among them.
 */
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database, Store } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { badParameter } from '../errors.ts'
import type { Log } from '../log.ts'
import { createEntryIndex } from './entry-index.ts'
import type { Viewer } from './entry-index.ts'
import { revisionOf } from './entry.ts'
import type { Entry, EntryFacts, InventoryKind, Registered } from './entry.ts'
import { createHeartbeatRows } from './heartbeat-rows.ts'
import type { HeartbeatRow } from './heartbeat-rows.ts'
import { followHeartbeats } from './follow-heartbeats.ts'
import type { ListRequest } from './list-query.ts'

/** What is silent for longer is gone from every list. Agents send a heartbeat every minute. */
export const heartbeatTtl = 10 * 60_000
const sweepEvery = 30_000
/** Whether another proxy heard from an item is looked up when less than this is left of it. Longer than from one sweep to the next. */
const renewalCheck = 45_000

export interface Registry<T extends Registered, Input> extends AsyncDisposable {
  /** Registers an item or renews it, until `expires` (epoch milliseconds; the standard lifetime from now when absent). Throws bad parameter. */
  heartbeat(item: Input, expires?: number): Promise<void>
  remove(id: string): Promise<void>
  /** An item that some document tells of: it is there, on this proxy, until the result is disposed or `expires` (epoch milliseconds) comes. */
  place(item: Input, expires: number): Disposable
  get(id: string): T | undefined
  /** Whether an item is there and another proxy was the last to hear from it. */
  isElsewhere(id: string): boolean
  count(): number
  /** All of them that pass, in no order. */
  items(accepts?: (item: T) => boolean): Generator<T>
  /** Items that one of the viewers sees, by the list grammar. A sort field that the kind does not have is refused with 501, a query that cannot be read with 400. */
  list(request: ListRequest, viewers: readonly Viewer[]): Page<T>
}

export interface RegistryDeps {
  db: Kysely<Database>
  /** Absent where nobody else writes to the store. */
  listen?: Store['listen']
  clock: Clock
  log: Log
}

export async function openRegistry<T extends Registered, Input, Field extends string>(
  kind: InventoryKind<T, Input, Field>,
  { db, listen, clock, log }: RegistryDeps,
): Promise<Registry<T, Input>> {
  const rows = createHeartbeatRows(kind.kind, db)
  const entries = new Map<string, Entry<T, Field>>()
  const index = createEntryIndex(kind)
  const forget = (id: string): void => {
    const entry = entries.get(id)
    if (!entry) return
    entries.delete(id)
    index.remove(entry)
  }
  const put = (given: T, facts: EntryFacts): Entry<T, Field> => {
    const entry = index.add(given, facts, entries.get(given.id))
    entries.set(given.id, entry)
    return entry
  }
  /** Placed ones are no heartbeats: the store says nothing about them. */
  const isStored = ({ revision }: Entry<T, Field>): boolean => revision !== ''

  function take({ id, document, expires }: HeartbeatRow, isElsewhere: boolean): void {
    const known = entries.get(id)
    if (known && !isStored(known)) return
    const revision = revisionOf(document)
    if (known?.revision !== revision) {
      // Proxies of different versions may share a store.
      const item = kind.schema.safeParse(JSON.parse(document))
      if (!item.success) return log.warn({ err: item.error, kind: kind.kind, id }, 'a stored heartbeat cannot be read and is not listed')
      put(item.data, { revision, expires, isElsewhere })
      return
    }
    if (expires <= known.expires) return
    index.renew(known, expires)
    known.isElsewhere = isElsewhere
  }
  /** `ids`: what was asked for; `stored`: what there is of it. */
  function takeAll(ids: Iterable<string>, stored: readonly HeartbeatRow[], isElsewhere: boolean): void {
    const found = new Set(stored.map(({ id }) => id))
    for (const id of ids) {
      const entry = entries.get(id)
      if (entry && isStored(entry) && !found.has(id)) forget(id)
    }
    for (const row of stored) take(row, isElsewhere)
  }
  let isLoaded = false
  const following = await followHeartbeats(
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
    const expiries = await rows.expiries(ending.map(({ item }) => item.id))
    for (const entry of ending) {
      const { id } = entry.item
      if (entries.get(id) !== entry) continue
      const expires = expiries.get(id)
      if (expires === undefined && entry.expires <= now) forget(id)
      else if (expires !== undefined && expires > entry.expires) {
        index.renew(entry, expires)
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
  const get = (id: string): T | undefined => {
    const entry = entries.get(id)
    return entry && entry.expires > clock.now() ? entry.item : undefined
  }

  return {
    async heartbeat(given, expires = clock.now() + heartbeatTtl) {
      const parsed = kind.schema.safeParse(given)
      if (!parsed.success) throw badParameter(`heartbeat refused: ${z.prettifyError(parsed.error)}`, { cause: parsed.error })
      const { id } = parsed.data
      const document = JSON.stringify(parsed.data)
      await rows.write({ id, document, expires })
      const known = entries.get(id)
      const revision = revisionOf(document)
      if (known?.revision !== revision) return void put(parsed.data, { revision, expires, isElsewhere: false })
      index.renew(known, expires)
      known.isElsewhere = false
    },
    async remove(id) {
      await rows.remove(id)
      forget(id)
    },
    place(given, expires) {
      const placed = put(kind.schema.parse(given), { revision: '', expires, isElsewhere: false })
      const { id } = placed.item
      return { [Symbol.dispose]: () => void (entries.get(id) === placed && forget(id)) }
    },
    get,
    isElsewhere: (id) => get(id) !== undefined && entries.get(id)?.isElsewhere === true,
    count: () => index.count(clock.now()),
    *items(accepts = () => true) {
      const now = clock.now()
      for (const { expires, item } of entries.values()) if (expires > now && accepts(item)) yield item
    },
    list: (request, viewers) => index.list(request, viewers, clock.now()),
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await following[Symbol.asyncDispose]()
    },
  }
}

/**
 * Brings to this process's change feed what other proxies on the same database change. The database tells of every commit;
 * after a gap, whatever differs from what was last seen is told as if it had just happened. Changes of this process come
 * back as well: listeners may hear of one twice.
 */
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database, Store } from '../../store/db.ts'
import type { Change, ChangeFeed } from './change-feed.ts'
import type { Log } from '../log.ts'

/** Under this kind the feed tells of sign-ins that have ended; the name is the id of the sign-in. */
export const webLoginKind = 'web_login'

const notice = z.object({ kind: z.string(), name: z.string(), operation: z.enum(['put', 'delete']) })

export interface FollowerDeps {
  store: Pick<Store, 'db' | 'listen'>
  feed: Pick<ChangeFeed, 'publish'>
  log: Log
}

/** Resolves when nothing that is committed from now on is missed. A store that nobody else can change needs no following. */
export async function followChanges({ store, feed, log }: FollowerDeps): Promise<AsyncDisposable> {
  let known: Snapshot | undefined
  const handlers = {
    onNotice(payload: string): void {
      const change = notice.parse(JSON.parse(payload))
      if (known) note(known, change)
      feed.publish(change)
    },
    async onListening(): Promise<void> {
      const before = known
      known = await takeSnapshot(store.db)
      if (before) for (const change of changesBetween(before, known)) feed.publish(change)
    },
  }
  return store.listen?.('sallyport_changes', handlers, log) ?? { [Symbol.asyncDispose]: () => Promise.resolve() }
}

/** Kind → name → revision. */
type Snapshot = Map<string, Map<string, string>>

function namesOf(snapshot: Snapshot, kind: string): Map<string, string> {
  const names = snapshot.get(kind) ?? new Map<string, string>()
  snapshot.set(kind, names)
  return names
}

/** Notices do not tell the revision; an empty one differs from any. */
function note(snapshot: Snapshot, { kind, name, operation }: Change): void {
  if (operation === 'put') namesOf(snapshot, kind).set(name, '')
  else snapshot.get(kind)?.delete(name)
}

async function takeSnapshot(db: Kysely<Database>): Promise<Snapshot> {
  const resources = await db.selectFrom('resources').select(['kind', 'name', 'revision']).execute()
  const logins = await db.selectFrom('web_sessions').select('login_id').distinct().execute()
  const snapshot: Snapshot = new Map()
  for (const { login_id } of logins) namesOf(snapshot, webLoginKind).set(login_id, '')
  for (const { kind, name, revision } of resources) namesOf(snapshot, kind).set(name, revision)
  return snapshot
}

function* changesBetween(before: Snapshot, after: Snapshot): Generator<Change> {
  for (const [kind, names] of after)
    for (const [name, revision] of names) if (before.get(kind)?.get(name) !== revision) yield { kind, name, operation: 'put' }
  for (const [kind, names] of before)
    for (const name of names.keys()) if (!after.get(kind)?.has(name)) yield { kind, name, operation: 'delete' }
}

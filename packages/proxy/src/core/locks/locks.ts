/** Placing and lifting locks. Whoever learns that a lock was placed can count on it: it is in force in this proxy by then, and what it ends has ended. */
import { randomUUID } from 'node:crypto'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'
import type { Log } from '../log.ts'
import { parseResource } from '../resources/resources.ts'
import { expiryOf, lockKind } from './lock.ts'
import type { Lock, LockInput, LockSpecInput, LockStore } from './lock.ts'
import type { LockView } from './lock-view.ts'

/** Locks that have expired are shown for so long. */
const keepExpired = 24 * 3_600_000
const purgeEvery = 60_000

export interface Locks extends Disposable {
  /** Without a name a new one. Throws bad parameter, and not found when the named one is gone. */
  place(lock: Pick<LockSpecInput, 'target' | 'message' | 'expires'> & { name?: string | undefined }, by: string): Promise<Lock>
  /** Places a document, or replaces the one of its name. Throws bad parameter, compare failed. */
  put(document: LockInput, by: string): Promise<Lock>
  /** Throws not found. */
  lift(name: string, by: string): Promise<void>
}

export interface LockDeps {
  store: LockStore
  view: LockView
  audit: Pick<Audit, 'emit'>
  clock: Clock
  log: Pick<Log, 'warn'>
}

export function createLocks({ store, view, audit, clock, log }: LockDeps): Locks {
  async function put(input: LockInput, by: string): Promise<Lock> {
    const existing = await store.get(input.metadata.name)
    const stamped = {
      ...input,
      spec: { ...input.spec, created_at: existing?.spec.created_at ?? new Date(clock.now()).toISOString(), created_by: by },
    }
    const { target, expires } = parseResource(lockKind, stamped).spec
    await audit.emit('TLK00I', { user: by, name: input.metadata.name, target, ...(expires === undefined ? {} : { expires }) })
    const lock = await (existing ? store.update(stamped) : store.create(stamped))
    await view.enforced()
    return lock
  }

  async function purge(): Promise<void> {
    for (const lock of view.all()) if (expiryOf(lock) < clock.now() - keepExpired) await store.delete(lock.metadata.name).catch(ignoreGone)
  }
  const timer = setInterval(() => {
    purge().catch((error: unknown) => log.warn({ err: error }, 'expired locks could not be removed; the next round tries again'))
  }, purgeEvery).unref()

  return {
    async place({ name, ...spec }, by) {
      if (name !== undefined) await store.require(name)
      return put({ metadata: { name: name ?? randomUUID() }, spec }, by)
    },
    put,
    async lift(name, by) {
      const { target } = (await store.require(name)).spec
      await audit.emit('TLK01I', { user: by, name, target })
      await store.delete(name)
      await view.settled()
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/** Another proxy was first. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error
}

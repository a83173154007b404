/**
 * Every lock, in memory: asked with each request, pushed to whoever has something that lives on. It follows the change
 * feed, and reads again by itself, so that a database that does not answer is noticed.
 */
import type { ChangeFeed } from '../resources/change-feed.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { expiryOf, lockKind, LockRefusal, probesOf, probesOfTargets, reasonOf } from './lock.ts'
import type { Lock, LockingMode, LockSubject } from './lock.ts'

/** So long a view that cannot be renewed counts as right. */
const staleAfter = 5 * 60_000
const readEvery = 30_000
/** While the last attempt has failed. */
const retryEvery = 1000
/** How late, in milliseconds, it may be noticed that a view has become stale. */
const checkEvery = 500
export const staleText = 'local lock view unreliable: the locks could not be read for five minutes, try again in a moment'

export interface LockView extends Disposable {
  /** Locks that have expired are among them. */
  all(): readonly Lock[]
  /** The reason for which somebody is kept out at this moment; undefined when nothing does. */
  whyLocked(subject: LockSubject): string | undefined
  /** Throws LockRefusal. */
  require(subject: LockSubject): void
  /** Calls once, and at once if a lock is in force already. Until disposed, no lock on the subject is missed. */
  watch(subject: LockSubject, onLocked: (reason: string) => void): Disposable
  /** Tells of locks that are new or changed, after the watchers have been called. Listeners must not reject. */
  onLocks(listener: LocksListener): void
  /** Resolves when every change that the feed has told of is in force here, or could not be read. */
  settled(): Promise<void>
  /** Resolves when, in addition, every listener is done. */
  enforced(): Promise<void>
}

type LocksListener = (locks: readonly Lock[]) => Promise<void>

export interface LockViewDeps {
  read: () => Promise<readonly Lock[]>
  feed: Pick<ChangeFeed, 'subscribe'>
  clock: Clock
  log: Pick<Log, 'warn' | 'info'>
  /** For subjects whose roles say nothing. */
  lockingMode: () => LockingMode
}

interface Watcher {
  readonly subject: LockSubject
  readonly onLocked: (reason: string) => void
}

/** Resolves after the first reading; rejects when that fails. */
export async function openLockView({ read, feed, clock, log, lockingMode }: LockViewDeps): Promise<LockView> {
  const watchers = new Set<Watcher>()
  const listeners = new Set<LocksListener>()
  let consequences: Promise<unknown> = Promise.resolve()
  let locks: readonly Lock[] = []
  let byProbe = new Map<string, Lock[]>()
  /** Since when what is in memory may be out of date. */
  let unsure: number | undefined
  let latest: Promise<void> = Promise.resolve()
  let isWaiting = false

  const isStale = (): boolean => unsure !== undefined && clock.now() - unsure > staleAfter
  const whyLocked = (subject: LockSubject): string | undefined => {
    const now = clock.now()
    for (const probe of probesOf(subject)) {
      const lock = byProbe.get(probe)?.find((candidate) => expiryOf(candidate) > now)
      if (lock) return reasonOf(lock)
    }
    return (subject.mode ?? lockingMode()) === 'strict' && isStale() ? staleText : undefined
  }
  const check = (watcher: Watcher): void => {
    const reason = whyLocked(watcher.subject)
    if (reason !== undefined && watchers.delete(watcher)) watcher.onLocked(reason)
  }

  function replace(current: readonly Lock[]): void {
    const known = new Set(locks.map(({ metadata }) => metadata.revision))
    locks = current
    byProbe = new Map()
    for (const lock of current)
      for (const probe of probesOfTargets(lock.spec.target)) byProbe.set(probe, [...(byProbe.get(probe) ?? []), lock])
    const fresh = current.filter(({ metadata }) => !known.has(metadata.revision))
    if (fresh.length === 0) return
    for (const watcher of [...watchers]) check(watcher)
    consequences = Promise.all([consequences, ...[...listeners].map((listener) => listener(fresh))])
  }
  async function readOnce(): Promise<void> {
    try {
      replace(await read())
      if (unsure !== undefined) log.info({}, 'the locks can be read again')
      unsure = undefined
    } catch (error) {
      if (unsure === undefined) log.warn({ err: error }, 'the locks could not be read; the last known ones stay in force')
      unsure ??= clock.now()
    }
  }
  /** A reading that is under way may miss the newest lock, so another one follows it; more need not wait. */
  function refresh(): void {
    if (isWaiting) return
    isWaiting = true
    latest = latest.then(() => {
      isWaiting = false
      return readOnce()
    })
  }

  const changes = feed.subscribe(({ kind }) => {
    if (kind === lockKind.kind) refresh()
  })
  replace(await read())
  let lastTry = performance.now()
  const timer = setInterval(() => {
    if (isStale()) for (const watcher of [...watchers]) check(watcher)
    if (performance.now() - lastTry < (unsure === undefined ? readEvery : retryEvery)) return
    lastTry = performance.now()
    refresh()
  }, checkEvery).unref()

  return {
    all: () => locks,
    whyLocked,
    require(subject) {
      const reason = whyLocked(subject)
      if (reason !== undefined) throw new LockRefusal(reason)
    },
    watch(subject, onLocked) {
      const watcher = { subject, onLocked }
      watchers.add(watcher)
      check(watcher)
      return { [Symbol.dispose]: () => watchers.delete(watcher) }
    },
    onLocks: (listener) => void listeners.add(listener),
    settled: () => latest,
    async enforced() {
      await latest
      await consequences
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      changes[Symbol.dispose]()
    },
  }
}

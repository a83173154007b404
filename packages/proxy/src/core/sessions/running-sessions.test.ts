import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { LockSubject } from '../locks/lock.ts'
import { createRunningSessions } from './running-sessions.ts'
import type { SessionToRun } from './running-sessions.ts'

beforeEach(() => vi.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z') }))
afterEach(() => vi.useRealTimers())

/** `locked`: whom a lock hits from the beginning. */
function world(locked?: string) {
  const watchers = new Map<(reason: string) => void, LockSubject>()
  const sessions = createRunningSessions({
    clock: { now: () => Date.now() },
    locks: {
      watch(subject, onLocked) {
        watchers.set(onLocked, subject)
        if (subject.user === locked) onLocked('locked')
        return { [Symbol.dispose]: () => void watchers.delete(onLocked) }
      },
    },
  })
  const ends: string[] = []
  const run = (more: Partial<SessionToRun> = {}) =>
    sessions.run({
      kind: 'db',
      user: 'bob',
      login: 'reader',
      tracker: { database_name: 'orders' },
      lockedBy: { user: 'bob' },
      idleTimeout: 0,
      onEnd: (reason) => ends.push(reason),
      ...more,
    })
  return { sessions, ends, run, watchers }
}

test('R7-073: a session is listed until it ends, with its address in both fields, and ends once', () => {
  const { sessions, ends, run, watchers } = world()
  const session = run({ tracker: { database_name: 'orders', server_addr: 'db.local:5432' } })
  const address = { server_id: 'db.local:5432' }
  expect(sessions.list().map((each) => each.tracker('main'))).toMatchObject([
    {
      kind: 'db',
      id: session.sid,
      login: 'reader',
      database_name: 'orders',
      cluster_name: 'main',
      server_addr: 'db.local:5432',
      ...address,
      parties: [{ user: 'bob', ...address }],
    },
  ])
  expect([sessions.count('bob'), sessions.count('alice'), sessions.count()]).toEqual([1, 0, 1])
  session.end('alice ended the session')
  session.end('again')
  expect(ends).toEqual(['alice ended the session'])
  expect([sessions.get(session.sid), sessions.count(), watchers.size]).toEqual([undefined, 0, 0])
})

test('a lock ends it, also one that is in force already', () => {
  const late = world()
  late.run()
  for (const lock of [...late.watchers.keys()]) lock('locked')
  expect(late.ends).toEqual(['locked'])
  const early = world('bob')
  early.run()
  expect(early.ends).toEqual(['locked'])
  expect([early.sessions.count(), early.watchers.size]).toEqual([0, 0])
})

test('it ends at its time, and when nothing is done in it for too long; one that was disposed ends no more', () => {
  const { ends, run } = world()
  run({ until: Date.now() + 60_000 })
  const idle = run({ idleTimeout: 30_000 })
  const done = run({ until: Date.now() + 1000, idleTimeout: 1000 })
  done[Symbol.dispose]()
  vi.advanceTimersByTime(20_000)
  idle.touch()
  vi.advanceTimersByTime(29_000)
  expect(ends).toEqual([])
  vi.advanceTimersByTime(1000)
  expect(ends).toEqual(['the session was idle for too long'])
  vi.advanceTimersByTime(10_000)
  expect(ends.at(-1)).toBe('the time of the session is over: sign in again')
  expect(ends).toHaveLength(2)
})

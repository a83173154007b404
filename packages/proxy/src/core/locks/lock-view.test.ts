import { randomUUID } from 'node:crypto'
import { afterEach, expect, test, vi } from 'vitest'
import { createChangeFeed } from '../resources/change-feed.ts'
import { createLog } from '../log.ts'
import { parseResource } from '../resources/resources.ts'
import { lockKind, LockRefusal } from './lock.ts'
import type { Lock, LockInput, LockingMode } from './lock.ts'
import { openLockView, staleText } from './lock-view.ts'
import type { LockView } from './lock-view.ts'

const minute = 60_000
const lockOn = (target: LockInput['spec']['target'], spec: Partial<LockInput['spec']> = {}): Lock => {
  const lock = parseResource(lockKind, { metadata: { name: randomUUID() }, spec: { ...spec, target } })
  return { ...lock, metadata: { ...lock.metadata, revision: randomUUID() } }
}

let view: LockView | undefined
afterEach(() => {
  view?.[Symbol.dispose]()
  vi.useRealTimers()
})

async function open({ lockingMode = 'best_effort' }: { lockingMode?: LockingMode } = {}) {
  const stored: Lock[] = []
  let now = Date.UTC(2026, 10, 21)
  let isDown = false
  const feed = createChangeFeed()
  const tell = (): void => feed.publish({ kind: 'lock', name: '', operation: 'put' })
  const opened = await openLockView({
    read: () => (isDown ? Promise.reject(new Error('the database is down')) : Promise.resolve([...stored])),
    feed,
    clock: { now: () => now },
    log: createLog('silent'),
    lockingMode: () => lockingMode,
  })
  view = opened
  return {
    view: opened,
    stored,
    tell,
    advance: (ms: number) => void (now += ms),
    goDown: () => void (isDown = true),
    comeBack: () => void (isDown = false),
    async place(lock: Lock) {
      stored.push(lock)
      tell()
      await opened.settled()
    },
  }
}

test.each([
  [{ user: 'bob' }, { user: 'bob' }, 'lock targeting User:"bob" is in force'],
  [{ role: 'dba' }, { user: 'x', roles: ['access', 'dba'] }, 'lock targeting Role:"dba" is in force'],
  [{ login: 'root' }, { user: 'x', login: 'root' }, 'lock targeting Login:"root" is in force'],
  [{ server_id: 'id' }, { node: 'id' }, 'lock targeting Node:"id" is in force'],
  [{ mfa_device: 'id' }, { mfaDevice: 'id' }, 'lock targeting MFADevice:"id" is in force'],
  [{ windows_desktop: 'pc' }, { windowsDesktop: 'pc' }, 'lock targeting WindowsDesktop:"pc" is in force'],
  [{ access_request: 'id' }, { accessRequests: ['a', 'id'] }, 'lock targeting AccessRequest:"id" is in force'],
  [{ device: 'id' }, { device: 'id' }, 'lock targeting Device:"id" is in force'],
  [{ user: 'a"b' }, { user: 'a"b' }, String.raw`lock targeting User:"a\"b" is in force`],
])('%j keeps out %j', async (target, subject, reason) => {
  const { view: locks, place } = await open()
  await place(lockOn(target))
  expect(locks.whyLocked(subject)).toBe(reason)
  expect(() => locks.require(subject)).toThrow(new LockRefusal(reason))
  expect(locks.whyLocked({ user: 'somebody else', login: 'bob', node: 'x', roles: ['access'] })).toBeUndefined()
})

test('a lock ends at its time, to the millisecond', async () => {
  const { view: locks, place, advance } = await open()
  await place(lockOn({ user: 'bob' }, { expires: new Date(Date.UTC(2026, 10, 21) + minute).toISOString() }))
  advance(minute - 1)
  expect(locks.whyLocked({ user: 'bob' })).toBeDefined()
  advance(1)
  expect(locks.whyLocked({ user: 'bob' })).toBeUndefined()
  expect(locks.all()).toHaveLength(1)
})

test('a watcher hears once, of a lock that comes and of one that is there; not after it was disposed, and never for another', async () => {
  const { view: locks, place } = await open()
  const heard: string[] = []
  locks.watch({ user: 'bob' }, (reason) => heard.push(`first: ${reason}`))
  const gone = locks.watch({ user: 'bob' }, () => heard.push('disposed'))
  locks.watch({ user: 'carol' }, () => heard.push('carol'))
  gone[Symbol.dispose]()
  await place(lockOn({ user: 'bob' }, { message: 'out' }))
  await place(lockOn({ user: 'bob' }))
  locks.watch({ user: 'bob' }, (reason) => heard.push(`late: ${reason}`))
  const reason = 'lock targeting User:"bob" is in force: out'
  expect(heard).toEqual([`first: ${reason}`, `late: ${reason}`])
})

test('listeners get new and changed locks once; whoever waits for them waits until they are done', async () => {
  const { view: locks, place, tell } = await open()
  const seen: string[] = []
  const done = Promise.withResolvers<void>()
  locks.onLocks((fresh) => {
    seen.push(...fresh.map(({ metadata }) => metadata.name))
    return done.promise
  })
  const lock = lockOn({ user: 'bob' })
  await place(lock)
  tell()
  await locks.settled()
  expect(seen).toEqual([lock.metadata.name])
  let isEnforced = false
  const enforced = locks.enforced().then(() => (isEnforced = true))
  await locks.settled()
  expect(isEnforced).toBe(false)
  done.resolve()
  await enforced
})

test('of changes in quick succession none is missed', async () => {
  const { view: locks, place } = await open()
  await Promise.all([...'abcdefgh'].map((user) => place(lockOn({ user }))))
  for (const user of 'abcdefgh') expect(locks.whyLocked({ user })).toBeDefined()
})

test('a view that cannot be renewed for five minutes keeps out who is strict, ends what they have, and lets others be', async () => {
  vi.useFakeTimers()
  const { view: locks, tell, advance, goDown, comeBack } = await open()
  const cut: string[] = []
  locks.watch({ user: 'bob', mode: 'strict' }, (reason) => cut.push(reason))
  locks.watch({ user: 'carol', mode: 'best_effort' }, () => cut.push('carol'))
  locks.watch({ user: 'dan' }, () => cut.push('dan'))
  goDown()
  tell()
  await locks.settled()
  advance(5 * minute)
  await vi.advanceTimersByTimeAsync(500)
  expect(cut).toEqual([])
  expect(locks.whyLocked({ user: 'bob', mode: 'strict' })).toBeUndefined()
  advance(1)
  await vi.advanceTimersByTimeAsync(500)
  expect(cut).toEqual([staleText])
  expect(locks.whyLocked({ user: 'bob', mode: 'strict' })).toBe(staleText)
  expect(locks.whyLocked({ user: 'dan' })).toBeUndefined()
  // It tries again by itself.
  comeBack()
  await vi.advanceTimersByTimeAsync(1500)
  expect(locks.whyLocked({ user: 'bob', mode: 'strict' })).toBeUndefined()
})

test('the mode of the cluster holds for those whose roles say nothing; a role that is less strict wins over it', async () => {
  vi.useFakeTimers()
  const { view: locks, tell, advance, goDown } = await open({ lockingMode: 'strict' })
  goDown()
  tell()
  await locks.settled()
  advance(5 * minute + 1)
  expect(locks.whyLocked({ user: 'dan' })).toBe(staleText)
  expect(locks.whyLocked({ user: 'carol', mode: 'best_effort' })).toBeUndefined()
})

test('without any news it reads again after half a minute', async () => {
  vi.useFakeTimers()
  const { view: locks, stored } = await open()
  stored.push(lockOn({ user: 'bob' }))
  await vi.advanceTimersByTimeAsync(29_000)
  expect(locks.whyLocked({ user: 'bob' })).toBeUndefined()
  await vi.advanceTimersByTimeAsync(1500)
  expect(locks.whyLocked({ user: 'bob' })).toBeDefined()
})

test('documents name at least one target and nothing else', () => {
  const parse = (spec: unknown) => parseResource(lockKind, { metadata: { name: 'x' }, spec: spec as LockInput['spec'] })
  expect(() => parse({ target: {} })).toThrow('at least one target field must be set')
  expect(() => parse({ target: { user: '' } })).toThrow('at least one target field must be set')
  expect(() => parse({ target: { cluster: 'x' } })).toThrow('unknown field "spec.target.cluster"')
  expect(() => parse({ target: { user: 'x' }, expires: 'tomorrow' })).toThrow('spec.expires')
  expect(parse({ target: { server_id: 'x' } }).spec.target).toEqual({ node: 'x' })
})

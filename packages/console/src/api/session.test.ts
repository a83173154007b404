import { beforeEach, describe, expect, test } from 'vitest'
import { ApiError } from '@sallyport/wire/errors.ts'
import { storageKeys, telemetryStorageKey } from '@sallyport/wire/limits.ts'
import { endReasonKey } from './session.ts'
import { answerOf, FakeClock, FakeStorage, metaOf, openTab, settle } from './session-fakes.ts'
import type { Tab, TabOptions } from './session-fakes.ts'

let clock: FakeClock
let storage: FakeStorage
beforeEach(() => {
  clock = new FakeClock()
  storage = new FakeStorage()
})

const tab = (options: Partial<TabOptions> = {}): Tab => openTab({ clock, storage, ...options })
/** A tab of somebody who is signed in for `seconds` more. */
function signedIn(seconds: number, options: Partial<TabOptions> = {}, idleTimeout = 0): Tab {
  const opened = tab({ meta: metaOf(answerOf('first', seconds, idleTimeout)), ...options })
  opened.session.adopt()
  expect(opened.session.start()).toBe(true)
  return opened
}
const refused = (): Promise<never> => Promise.reject(new ApiError('need auth', { status: 403, url: '' }))
const loginWithPage = `/web/login?redirect_uri=${encodeURIComponent('https://proxy.example/web/cluster/one/nodes?search=db')}`

describe('where the bearer comes from', () => {
  test('R3-024, R3-025, R3-026, R7-009: the page meta becomes the token, with the time of its receipt', () => {
    const { session } = tab({ meta: metaOf({ token: 'x', expires_in: 600, sessionExpires: '2026-11-21T18:00:00Z' }) })
    session.adopt()
    expect(session.bearer()).toBe('x')
    const stored = {
      accessToken: 'x',
      expiresIn: 600,
      created: clock.now,
      sessionExpires: '2026-11-21T18:00:00Z',
      sessionInactiveTimeout: 0,
    }
    expect(JSON.parse(storage.getItem(storageKeys.token) ?? '')).toEqual(stored)
    clock.now += 600_000 - 1
    expect(session.isValid()).toBe(true)
    clock.now += 1
    expect(session.isValid()).toBe(false)
  })

  test('R9-016: the token of an earlier page is used when the meta is empty, and overridden when it is not', () => {
    const first = tab({ meta: metaOf(answerOf('first', 600)) })
    first.session.adopt()
    expect(storage.names()).toContain('grv_teleport_token')
    const second = tab()
    second.session.adopt()
    expect(second.session.bearer()).toBe('first')
    const third = tab({ meta: metaOf(answerOf('third', 600)) })
    third.session.adopt()
    expect(second.session.bearer()).toBe('third')
  })

  test.each(['%%%', btoa('no json'), btoa('{"token":"x"}')])('a meta that cannot be read (%s) means signed out', (meta) => {
    tab({ meta: metaOf(answerOf('old', 600)) }).session.adopt()
    const { session } = tab({ meta })
    session.adopt()
    expect(session.bearer()).toBeUndefined()
  })

  test('a stored token of another form is no token', () => {
    storage.setItem(storageKeys.token, '{"accessToken":1}')
    expect(tab().session.bearer()).toBeUndefined()
  })
})

describe('validity and renewal', () => {
  test('R4-007: valid with 1 ms left, invalid with none', () => {
    const { session } = signedIn(200)
    clock.now += 199_999
    expect(session.isValid()).toBe(true)
    clock.now += 1
    expect(session.isValid()).toBe(false)
  })

  test('R4-009, R8-010: an invalid session at start is signed out and sent to sign-in', async () => {
    const { session, left, calls, tabStorage } = tab({ meta: metaOf(answerOf('old', -5)) })
    session.adopt()
    expect(session.start()).toBe(false)
    await settle()
    expect(left).toEqual([loginWithPage])
    expect(storage.getItem(storageKeys.token)).toBeNull()
    expect(tabStorage.getItem(endReasonKey)).toBe('expired')
    expect(calls.renew + calls.status).toBe(0)
  })

  test('without a token no call is made before sign-in', async () => {
    const { session, left, calls, tabStorage } = tab()
    session.adopt()
    expect(session.start()).toBe(false)
    await settle()
    expect(left).toEqual([loginWithPage])
    expect(calls).toEqual({ renew: 0, status: 0, signOut: 0 })
    expect(tabStorage.getItem(endReasonKey)).toBeNull()
  })

  test('R4-008, R9-008: renews with 179 s left, not with 180 s', async () => {
    const { calls, session } = signedIn(180)
    await settle()
    expect(calls.renew).toBe(0)
    const late = signedIn(179)
    await settle()
    expect(late.calls.renew).toBe(1)
    expect(session.bearer()).toBe('renewed-1')
  })

  test('R4-011: the periodic check renews without anybody doing anything', async () => {
    const { calls, session } = signedIn(200)
    await clock.pass(30_000)
    expect(calls.renew).toBe(1)
    expect(session.bearer()).toBe('renewed-1')
  })

  test.each([
    ['R4-010: refused', refused],
    ['R8-011: a fault of the proxy', () => Promise.reject(new ApiError('boom', { status: 500, url: '' }))],
  ])('a failed renewal ends the session (%s)', async (_, renew) => {
    const { left, tabStorage } = signedIn(100, { answers: { renew } })
    await settle()
    expect(left).toEqual([loginWithPage])
    expect(tabStorage.getItem(endReasonKey)).toBe('renewal-failed')
  })

  test('R4-012, R9-009: the status is asked for at the start and every 15 s', async () => {
    const { calls } = signedIn(600)
    await settle()
    expect(calls.status).toBe(1)
    await clock.pass(14_999)
    expect(calls.status).toBe(1)
    await clock.pass(1)
    expect(calls.status).toBe(2)
    await clock.pass(30_000)
    expect(calls.status).toBe(4)
  })

  test('R9-010: the status is asked for with more than 30 s left only, and not while another tab renews', async () => {
    storage.setItem(storageKeys.tokenRenew, 'true')
    storage.setItem('sallyport_token_renew_since', String(clock.now))
    const { calls } = signedIn(600)
    await settle()
    expect(calls.status).toBe(0)
    const short = signedIn(30)
    await settle()
    expect(short.calls.status).toBe(0)
  })

  test('R4-013, R7-146, R8-012: only a 403 of the status ends the session', async () => {
    let answer: () => Promise<unknown> = () => Promise.reject(new ApiError('busy', { status: 502, url: '' }))
    const { left } = signedIn(600, { answers: { status: () => answer() } })
    await clock.pass(15_000)
    answer = () => Promise.reject(new ApiError('Network request failed'))
    await clock.pass(15_000)
    expect(left).toEqual([])
    answer = refused
    await clock.pass(15_000)
    expect(left).toEqual([loginWithPage])
  })
})

describe('several tabs', () => {
  test('R4-015, R9-017: one tab renews for all', async () => {
    let finish = (): void => undefined
    const slow = (): Promise<ReturnType<typeof answerOf>> => new Promise((resolve) => (finish = () => resolve(answerOf('shared', 600))))
    const one = signedIn(190, { answers: { renew: slow } })
    const two = tab()
    two.session.start()
    await clock.pass(15_000)
    expect(storage.getItem('grv_teleport_token_renew')).toBe('true')
    expect(one.calls.renew + two.calls.renew).toBe(1)
    finish()
    await settle()
    expect(storage.getItem('grv_teleport_token_renew')).toBe('false')
    expect(two.session.bearer()).toBe('shared')
  })

  test('a flag that a dead tab left behind is ignored after 30 s', async () => {
    storage.setItem(storageKeys.tokenRenew, 'true')
    storage.setItem('sallyport_token_renew_since', String(clock.now))
    const { calls } = signedIn(170)
    await clock.pass(29_999)
    expect(calls.renew).toBe(0)
    await clock.pass(1)
    expect(calls.renew).toBe(1)
  })

  test('R4-014, R8-014: a token removed in one tab signs out the others', async () => {
    const one = signedIn(600)
    const two = tab()
    two.session.start()
    await one.session.signOut()
    await settle()
    expect(one.left).toEqual(['/web/login'])
    expect(two.left).toEqual([loginWithPage])
    expect(two.calls.signOut).toBe(0)
    expect(two.tabStorage.getItem(endReasonKey)).toBe('ended-elsewhere')
  })

  test('a token that another tab renewed signs nobody out', async () => {
    const one = signedIn(600)
    storage.setItem(storageKeys.token, storage.getItem(storageKeys.token) ?? '')
    await settle()
    expect(one.left).toEqual([])
  })
})

describe('inactivity', () => {
  test('R4-016: without a timeout nothing is recorded and nobody is signed out', async () => {
    const { left, act } = signedIn(100_000)
    act('keydown')
    await clock.pass(3_600_000)
    expect(storage.getItem(storageKeys.lastActive)).toBeNull()
    expect(left).toEqual([])
  })

  test.each([
    ['R4-017', 'keydown'],
    ['R4-018', 'pointermove'],
    ['R4-019', 'pointerdown'],
  ] as const)('%s, R9-018: %s records the time of the last activity', async (_, type) => {
    const { act } = signedIn(600, {}, 900_000)
    await clock.pass(20_000)
    act(type)
    expect(storage.getItem('grv_teleport_last_active')).toBe(String(clock.now))
  })

  test('R4-020, R9-013: activity is recorded every 15 s at most', async () => {
    const { act } = signedIn(600, {}, 900_000)
    const first = storage.getItem(storageKeys.lastActive)
    await clock.pass(14_999)
    act('pointermove')
    expect(storage.getItem(storageKeys.lastActive)).toBe(first)
    await clock.pass(1)
    act('pointermove')
    expect(storage.getItem(storageKeys.lastActive)).toBe(String(clock.now))
  })

  test('R4-021, R8-013, R9-011, R9-012: a timeout of 120 s signs out after 90 s, seen at a check every 30 s', async () => {
    const { left, tabStorage } = signedIn(600, {}, 120_000)
    await clock.pass(89_999)
    expect(left).toEqual([])
    await clock.pass(1)
    expect(left).toEqual([loginWithPage])
    expect(tabStorage.getItem(endReasonKey)).toBe('inactive')
  })

  test('activity moves the end', async () => {
    const { left, act } = signedIn(600, {}, 120_000)
    await clock.pass(60_000)
    act('keydown')
    await clock.pass(60_000)
    expect(left).toEqual([])
    await clock.pass(30_000)
    expect(left).toEqual([loginWithPage])
  })

  test('R4-022: a last activity too long ago signs out at the start, a recent one is overwritten', async () => {
    storage.setItem(storageKeys.lastActive, String(clock.now - 90_000))
    const stale = tab({ meta: metaOf(answerOf('x', 600, 120_000)) })
    stale.session.adopt()
    expect(stale.session.start()).toBe(false)
    await settle()
    expect(stale.left).toEqual([loginWithPage])
    storage.setItem(storageKeys.lastActive, String(clock.now - 89_999))
    signedIn(600, {}, 120_000)
    expect(storage.getItem(storageKeys.lastActive)).toBe(String(clock.now))
  })

  test('R4-022: whoever signs in anew is not judged by what was done in a session that is over', () => {
    storage.setItem(storageKeys.lastActive, String(clock.now - 86_400_000))
    tab({ meta: metaOf(answerOf('old', -5, 120_000)) }).session.adopt()
    expect(storage.getItem(storageKeys.lastActive)).toBeNull()
    signedIn(600, {}, 120_000)
    expect(storage.getItem(storageKeys.lastActive)).toBe(String(clock.now))
  })

  test('the viewer is warned a minute before, and staying takes the warning back', async () => {
    const { session, left } = signedIn(600, {}, 120_000)
    const told: (number | undefined)[] = []
    session.onIdleWarning((ms) => told.push(ms))
    await clock.pass(29_000)
    expect(told.at(-1)).toBeUndefined()
    await clock.pass(2_000)
    expect(told.at(-1)).toBe(59_000)
    session.stay()
    expect(told.at(-1)).toBeUndefined()
    await clock.pass(88_000)
    expect(left).toEqual([])
  })
})

describe('signing out', () => {
  test('R4-023, R4-024, R4-026: deletes the session, clears the token, goes to sign-in without a way back', async () => {
    const { session, calls, left, tabStorage } = signedIn(600)
    await session.signOut()
    expect(calls.signOut).toBe(1)
    expect(storage.getItem(storageKeys.token)).toBeNull()
    expect(left).toEqual(['/web/login'])
    expect(tabStorage.getItem(endReasonKey)).toBeNull()
  })

  test('R4-025: no check runs afterwards', async () => {
    const { session, calls } = signedIn(600, {}, 120_000)
    await session.signOut()
    const { status } = calls
    await clock.pass(600_000)
    expect(calls.status).toBe(status)
    expect(calls.renew).toBe(0)
    expect(storage.getItem(storageKeys.lastActive)).toBeNull()
  })

  test('R4-024: a renewal that is under way then brings no token back', async () => {
    let finish = (): void => undefined
    const renew = (): Promise<ReturnType<typeof answerOf>> => new Promise((resolve) => (finish = () => resolve(answerOf('late', 600))))
    const { session, calls } = signedIn(100, { answers: { renew } })
    expect(calls.renew).toBe(1)
    await session.signOut()
    finish()
    await settle()
    expect(storage.names()).toEqual([])
  })

  test('a proxy that does not answer holds nobody back', async () => {
    const { session, left } = signedIn(600, { answers: { signOut: () => new Promise(() => undefined) } })
    void session.signOut()
    expect(session.isLeaving()).toBe(true)
    await clock.pass(3_000)
    expect(left).toEqual(['/web/login'])
  })

  test('R4-027, R4-029: clearing storage keeps the theme, the assist popup and settings of the viewer, nothing else', async () => {
    const keep = [storageKeys.theme, storageKeys.showAssist, telemetryStorageKey, 'sallyport_theme_system', 'sallyport_setting_zone']
    const go = [
      storageKeys.tokenRenew,
      storageKeys.lastActive,
      storageKeys.discover,
      storageKeys.assistViewMode,
      'sallyport_draft',
      'other',
    ]
    for (const name of [...keep, ...go]) storage.setItem(name, '1')
    await signedIn(600).session.signOut()
    expect(storage.names().toSorted()).toEqual(keep.toSorted())
  })
})

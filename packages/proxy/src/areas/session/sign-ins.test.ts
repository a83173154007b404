import { userStatus } from '@sallyport/wire/calls/session.ts'
import { renew } from '@sallyport/wire/calls/session.ts'
import { endOfUser, endOwn, ofUser, own } from '@sallyport/wire/calls/sign-ins.ts'
import { decodeSessionCookie } from '../../core/identity/session-cookie.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { setUpWithApp, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const listOf = async (browser: ApiBrowser) => own.out.parse((await browser.call(own)).body)

/** The signal on which the live sockets of a browser hang. */
async function signalOf(api: ProxyApi, browser: ApiBrowser): Promise<AbortSignal> {
  const cookie = decodeSessionCookie(browser.sessionCookie ?? '')
  const session = cookie && (await api.context.sessions.find(cookie))
  const caller = session && (await api.context.sessions.callerOf(session))
  if (!caller) throw new Error('not signed in')
  return caller.signal
}

test('one sees every sign-in of oneself with address, browser and times, a renewal being no new one', async () => {
  await using api = await openProxyApi()
  const person = await setUpWithApp(api, 'bob')
  const first = await signInWithApp(api, person)
  const signedInAt = api.clock.now()
  api.clock.advance(5 * 60_000)
  const second = await signInWithApp(api, person)
  api.clock.advance(60_000)
  await first.call(renew, { body: {} })
  // The set-up itself signed in as well.
  const seen = await listOf(first)
  expect(seen).toHaveLength(3)
  expect(seen[0]).toMatchObject({ current: true, address: expect.stringMatching(/^10\.1\./), userAgent: expect.any(String) })
  expect(Date.parse(seen[0]?.renewed ?? '')).toBeGreaterThan(Date.parse(seen[0]?.created ?? ''))
  expect(Date.parse(seen[0]?.created ?? '')).toBeLessThanOrEqual(signedInAt)
  expect((await listOf(second)).map(({ current }) => current)).toEqual([false, true, false])
})
test('another sign-in is ended at once with its live sockets, and only that one', async () => {
  await using api = await openProxyApi()
  const person = await setUpWithApp(api, 'bob')
  const stays = await signInWithApp(api, person)
  const goes = await signInWithApp(api, person)
  const signal = await signalOf(api, goes)
  const [target] = (await listOf(goes)).filter(({ current }) => current)
  expect(await stays.call(endOwn, { params: { id: target?.id ?? '' } })).toMatchObject({ status: 200 })
  expect(signal.aborted).toBe(true)
  expect(await goes.call(userStatus)).toMatchObject({ status: 403 })
  expect(await stays.call(userStatus)).toMatchObject({ status: 200 })
  expect(await stays.call(endOwn, { params: { id: target?.id ?? '' } })).toMatchObject({ status: 404 })
})
test('an administrator sees and ends those of others; nobody ends one through the name of somebody else', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const bob = await signInWithApp(api, await setUpWithApp(api, 'bob'))
  const carol = await signedIn(api, 'carol')
  const of = ofUser.out.parse((await alice.call(ofUser, { params: { name: 'bob' } })).body)
  const [target] = await listOf(bob).then((all) => all.filter(({ current }) => current))
  const id = target?.id ?? ''
  expect(of.map((one) => one.id)).toContain(id)
  expect(of.every(({ current }) => !current)).toBe(true)

  expect(await carol.call(endOfUser, { params: { name: 'bob', id } })).toMatchObject({ status: 403 })
  expect(await carol.call(endOwn, { params: { id } })).toMatchObject({ status: 404 })
  expect(await alice.call(endOfUser, { params: { name: 'carol', id } })).toMatchObject({ status: 404 })
  expect(await bob.call(userStatus)).toMatchObject({ status: 200 })
  expect(await alice.call(endOfUser, { params: { name: 'bob', id } })).toMatchObject({ status: 200 })
  expect(await bob.call(userStatus)).toMatchObject({ status: 403 })
  expect(await alice.call(ofUser, { params: { name: 'nobody' } })).toMatchObject({ status: 404 })
})

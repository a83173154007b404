/** What roles and the cluster's settings say about the sessions of the web. */
import { renew, userStatus } from '@sallyport/wire/calls/session.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { setUpWithApp, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const minute = 60_000

async function giveRole(api: ProxyApi, user: string, options: Record<string, unknown>): Promise<void> {
  const { roles, users } = api.context
  const name = `limits-of-${user}`
  await roles.create({ metadata: { name }, spec: { options } })
  const { metadata, spec } = await users.require(user)
  await users.update({ metadata: { ...metadata, revision: '' }, spec: { ...spec, roles: [...spec.roles, name] } })
}

test('a role that allows less than at the sign-in shortens it at the next renewal; one that allows more does not lengthen it', async () => {
  await using api = await openProxyApi()
  const bob = await setUpWithApp(api, 'bob')
  const browser = await signInWithApp(api, bob)
  const begun = api.clock.now()
  const renewed = async () => sessionWire.parse((await browser.call(renew, { body: {} })).body)
  await giveRole(api, 'bob', { max_session_ttl: '20m' })
  const ends = Date.parse((await renewed()).sessionExpires ?? '')
  expect(ends).toBeLessThanOrEqual(begun + 20 * minute)
  expect(ends).toBeGreaterThan(begun + 18 * minute)
  await api.context.roles.delete('limits-of-bob')
  expect(Date.parse((await renewed()).sessionExpires ?? '')).toBe(ends)
  api.clock.advance(20 * minute)
  expect((await browser.call(userStatus)).status).toBe(403)
})

test('a session that a role pins ends when it comes from another address; without the role it may move', async () => {
  await using api = await openProxyApi()
  const [bob, carol] = [await signedIn(api, 'bob'), await signedIn(api, 'carol')]
  const elsewhere = (of: typeof bob) => {
    const other = api.browser('10.66.6.6')
    for (const [name, value] of of.cookies) other.cookies.set(name, value)
    other.bearer = of.bearer
    return other
  }
  await giveRole(api, 'bob', { pin_source_ip: true })
  expect((await bob.call(userStatus)).status).toBe(200)
  expect(await elsewhere(bob).call(userStatus)).toMatchObject({ status: 403, message: 'need auth' })
  expect((await bob.call(userStatus)).status).toBe(403)
  expect(await api.events('T3007W')).toMatchObject([{ user: 'bob', success: false, 'addr.remote': '10.66.6.6' }])
  expect((await elsewhere(carol).call(userStatus)).status).toBe(200)
})

test('the page hands the bearer of a pinned session to its own address only', async () => {
  await using api = await openProxyApi()
  const bob = await signedIn(api, 'bob')
  await giveRole(api, 'bob', { pin_source_ip: true })
  const thief = api.browser('10.66.6.7')
  for (const [name, value] of bob.cookies) thief.cookies.set(name, value)
  await thief.send('GET', '/web/config.js')
  expect((await bob.call(userStatus)).status).toBe(403)
})

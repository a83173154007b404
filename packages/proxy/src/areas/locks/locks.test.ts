import { parseDocument } from '../../core/resources/documents.ts'
import { requireKind } from '../../core/resources/managed-kinds.ts'
import { callPath } from '@sallyport/wire/call.ts'
import type { LockTargets } from '@sallyport/wire/entities/lock.ts'
import type { Verb } from '@sallyport/wire/acl.ts'
import * as calls from '@sallyport/wire/calls/locks.ts'
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import { beginSignIn, finishSignIn } from '@sallyport/wire/calls/mfa.ts'
import { renew, signIn, userStatus } from '@sallyport/wire/calls/session.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { codeOf, setUpWithApp, setUpWithKey, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import type { WithApp } from '@sallyport/testkit/proxy-people.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'

const params = { clusterId: 'sallyport' }
const hour = 3_600_000
const inForce = 'lock targeting User:"bob" is in force'

let api: ProxyApi
let alice: ApiBrowser
beforeEach(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
})
afterEach(() => api[Symbol.asyncDispose]())

const put = (body: unknown, by = alice): Promise<Answer> => by.send('PUT', callPath(calls.put.path, params), body)
const nameOf = (answer: Answer): string => calls.put.out.parse(answer.body).name
const lift = (uuid: string, by = alice): Promise<Answer> => by.call(calls.remove, { params: { ...params, uuid } })
const attempt = async ({ name, password, secret }: WithApp): Promise<Answer> =>
  api
    .browser()
    .trustPage()
    .call(signIn, { body: { user: name, pass: password, second_factor_token: await codeOf(api, secret) } })

test('R7-075, R7-076: a lock is placed and listed with exactly these fields; targets are an object, expires is empty without an end', async () => {
  const placed = await put({ targets: { user: 'bob' }, message: 'on leave', ttl: '' })
  expect(placed.status).toBe(200)
  const lock = {
    name: expect.stringMatching(/^[0-9a-f-]{36}$/),
    message: 'on leave',
    expires: '',
    createdAt: expect.stringMatching(/Z$/),
    createdBy: 'alice',
    targets: { user: 'bob' },
  }
  expect(placed.body).toEqual(lock)
  await put({ targets: { server_id: '5a2a1f4e-0000-4000-8000-000000000000', login: '' }, ttl: '2h45m' })
  const { body } = await alice.call(calls.list, { params })
  expect(body).toEqual(
    expect.arrayContaining([
      lock,
      { ...lock, message: '', expires: expect.stringMatching(/Z$/), targets: { node: '5a2a1f4e-0000-4000-8000-000000000000' } },
    ]),
  )
  const timed = calls.list.out.parse(body).find(({ expires }) => expires !== '')
  expect(Date.parse(timed?.expires ?? '') - Date.parse(timed?.createdAt ?? '')).toBeCloseTo(2.75 * hour, -4)
})

test('R8-057: placing and lifting are audited with the target', async () => {
  const name = nameOf(await put({ targets: { user: 'bob', login: 'root' }, ttl: '1h' }))
  expect(await api.events('TLK00I')).toMatchObject([
    { event: 'lock.created', user: 'alice', name, target: { user: 'bob', login: 'root' }, expires: expect.stringMatching(/Z$/) },
  ])
  await lift(name)
  expect(await api.events('TLK01I')).toMatchObject([{ event: 'lock.deleted', user: 'alice', name, target: { user: 'bob', login: 'root' } }])
})

test.each([
  ['no target', { targets: {} }, 'at least one target field must be set'],
  ['empty targets', { targets: { user: '', role: '' } }, 'at least one target field must be set'],
  ['nothing', {}, 'at least one target field must be set'],
  ['an unknown unit', { targets: { user: 'x' }, ttl: '5x' }, 'ttl: "5x" is no duration'],
  ['days', { targets: { user: 'x' }, ttl: '5d' }, 'ttl: "5d" is no duration'],
  ['no time', { targets: { user: 'x' }, ttl: '0s' }, 'must last for some time'],
  ['for ever and a day', { targets: { user: 'x' }, ttl: '999999999999h' }, 'ttl: that is too long'],
  ['a target that is no text', { targets: { user: 5 } }, 'targets.user'],
  ['a target that is too long', { targets: { user: 'x'.repeat(256) } }, 'targets.user'],
  ['a message that is too long', { targets: { user: 'x' }, message: 'x'.repeat(513) }, 'message'],
  ['targets that are none', { targets: null }, 'at least one target field must be set'],
])('%s is refused with 400 and nothing is placed', async (_what, body, message) => {
  expect(await put(body)).toMatchObject({ status: 400, message: expect.stringContaining(message) })
  expect((await alice.call(calls.list, { params })).body).toEqual([])
  expect(await api.events('TLK00I')).toEqual([])
})

test('an existing lock is replaced under its name; one that is gone, and another cluster, are not found', async () => {
  const name = nameOf(await put({ targets: { user: 'bob' }, message: 'first' }))
  expect(await put({ name, targets: { user: 'bob' }, message: 'second', ttl: '1h' })).toMatchObject({
    status: 200,
    body: { name, message: 'second' },
  })
  expect(calls.list.out.parse((await alice.call(calls.list, { params })).body)).toHaveLength(1)
  expect(await lift(name)).toMatchObject({ status: 200, body: { message: 'ok' } })
  expect(await lift(name)).toMatchObject({ status: 404, message: `lock "${name}" is not found` })
  expect(await put({ name, targets: { user: 'bob' } })).toMatchObject({ status: 404 })
  expect(await alice.call(calls.list, { params: { clusterId: 'other' } })).toMatchObject({ status: 404 })
})

/** Somebody with just these verbs on locks. */
async function withVerbs(verbs: readonly Verb[]): Promise<ApiBrowser> {
  await api.context.roles.create({
    metadata: { name: 'partly' },
    spec: { allow: { rules: [{ resources: ['lock'], verbs: [...verbs] }] } },
  })
  const dan = await signedIn(api, 'dan')
  const { metadata, spec } = await api.context.users.require('dan')
  await api.context.users.update({ metadata, spec: { ...spec, roles: ['partly'] } })
  return dan
}
const halves: [Verb[]][] = [[['create']], [['update']]]
test.each(halves)('R6-025: placing with %j alone is refused', async (verbs) => {
  const dan = await withVerbs(verbs)
  expect(await put({ targets: { user: 'bob' } }, dan)).toMatchObject({
    status: 403,
    message: `access denied to perform action "${verbs[0] === 'create' ? 'update' : 'create'}" on "lock"`,
  })
  expect(api.context.lockView.all()).toEqual([])
})
test.each<[Verb[], object]>([
  [['list'], { list: true }],
  [['create', 'update'], { create: true, edit: true }],
  [['read', 'delete'], { read: true, remove: true }],
])('R3-052: rules with %j show as exactly these flags of the area lock', async (verbs, flags) => {
  const dan = await withVerbs(verbs)
  const { userAcl } = userContext.out.parse((await dan.call(userContext, { params })).body)
  const none = { list: false, read: false, create: false, edit: false, remove: false, use: false }
  expect(userAcl.lock).toEqual({ ...none, ...flags })
})

test('R7-076, R7-077: a locked user is refused in a session and at sign-in; lifted, only a new sign-in works', async () => {
  const bob = await setUpWithApp(api, 'bob')
  const browser = await signInWithApp(api, bob)
  const name = nameOf(await put({ targets: { user: 'bob' }, message: 'ask your lead' }))
  const refusal = { status: 403, message: `${inForce}: ask your lead` }
  expect(await browser.call(userStatus)).toMatchObject(refusal)
  expect(await browser.call(renew, { body: {} })).toMatchObject(refusal)
  expect(await attempt(bob)).toMatchObject(refusal)
  expect((await api.events('T1000W')).at(-1)).toMatchObject({ user: 'bob', success: false, error: `${inForce}: ask your lead` })
  api.clock.advance(30_000)
  // A wrong password tells nothing about locks.
  expect(await attempt({ ...bob, password: 'wrong' })).toMatchObject({ status: 403, message: 'invalid credentials' })
  await lift(name)
  expect(await browser.call(userStatus)).toMatchObject({ status: 403, message: 'need auth' })
  await expect(signInWithApp(api, bob)).resolves.toBeDefined()
})

test('a key alone is no way around a lock', async () => {
  const { key } = await setUpWithKey(api, 'bob', 'passwordless')
  await put({ targets: { user: 'bob' } })
  const browser = api.browser().trustPage()
  const { webauthn_challenge } = beginSignIn.out.parse((await browser.call(beginSignIn, { body: { passwordless: true } })).body)
  if (!webauthn_challenge) throw new Error('no challenge')
  const assertion = key.get(webauthn_challenge.publicKey, { origin: api.origin })
  expect(await browser.call(finishSignIn, { body: { webauthnAssertionResponse: assertion } })).toMatchObject({
    status: 403,
    message: inForce,
  })
})

test('locks are exported as documents, applied again and removed, and audited like others', async () => {
  const name = nameOf(await put({ targets: { user: 'bob' }, message: 'out' }))
  const kind = requireKind(api.context.managedKinds, 'locks')
  expect(await kind.names()).toEqual([name])
  const document = await kind.read(name, false)
  await expect(kind.apply(parseDocument(document), { force: false, by: 'root' })).rejects.toThrow('exists already')
  await kind.remove(name, 'root')
  expect(api.context.lockView.all()).toEqual([])
  expect(await kind.apply(parseDocument(document), { force: false, by: 'root' })).toBe('created')
  expect(api.context.lockView.whyLocked({ user: 'bob' })).toBe(`${inForce}: out`)
  expect(await kind.apply(parseDocument(document.replace('out', 'still out')), { force: true, by: 'root' })).toBe('replaced')
  expect(api.context.lockView.whyLocked({ user: 'bob' })).toBe(`${inForce}: still out`)
  expect((await api.events('TLK00I')).at(-1)).toMatchObject({ user: 'root', name, target: { user: 'bob' } })
  expect(await api.events('TLK01I')).toMatchObject([{ user: 'root', name, target: { user: 'bob' } }])
})

test('an invite completes nothing for somebody who is locked', async () => {
  await put({ targets: { user: 'bob' } })
  await expect(setUpWithApp(api, 'bob')).rejects.toThrow(inForce)
})

test('a lock on a role holds for everybody who has it, and for nobody else', async () => {
  const bob = await signedIn(api, 'bob')
  const carol = await signedIn(api, 'carol')
  await put({ targets: { role: 'auditor' } })
  expect(await carol.call(userStatus)).toMatchObject({ status: 403, message: 'lock targeting Role:"auditor" is in force' })
  // alice holds the role as well: administrators can lock themselves out, and are told.
  expect(await alice.call(userStatus)).toMatchObject({ status: 403, message: 'lock targeting Role:"auditor" is in force' })
  expect((await bob.call(userStatus)).status).toBe(200)
})

test('a lock on a device refuses its proof and ends the sessions made with it', async () => {
  const bob = await setUpWithApp(api, 'bob')
  const before = await signInWithApp(api, bob)
  const devices = calls.mfaDevices.out.parse((await alice.call(calls.mfaDevices, { params })).body)
  const [device] = devices.filter(({ user }) => user === 'bob')
  expect(device).toMatchObject({ name: 'otp', type: 'TOTP', user: 'bob' })
  expect(devices.map(({ user }) => user)).toEqual(['alice', 'bob'])
  await put({ targets: { mfa_device: device?.id } })
  const refusal = { status: 403, message: `lock targeting MFADevice:"${device?.id}" is in force` }
  expect(await before.call(userStatus)).toMatchObject(refusal)
  expect(await attempt(bob)).toMatchObject(refusal)
  expect((await alice.call(userStatus)).status).toBe(200)
})

test('a lock with several targets holds for whoever matches any of them; one with an end ends by the clock and is still listed', async () => {
  const bob = await setUpWithApp(api, 'bob')
  const name = nameOf(await put({ targets: { user: 'bob', login: 'root', role: 'nobody-has-this' }, ttl: '5m', message: 'x' }))
  const text = 'lock targeting User:"bob" Role:"nobody-has-this" Login:"root" is in force: x'
  expect(await attempt(bob)).toMatchObject({ status: 403, message: text })
  expect(api.context.lockView.whyLocked({ user: 'carol', login: 'root' })).toBe(text)
  api.clock.advance(5 * 60_000)
  await expect(signInWithApp(api, bob)).resolves.toBeDefined()
  expect(calls.list.out.parse((await alice.call(calls.list, { params })).body)).toMatchObject([{ name }])
})

test('what locks would do is told before: who and what they hit, whether oneself, and whether an administrator is left', async () => {
  await signInWithApp(api, await setUpWithApp(api, 'bob'))
  const effect = async (targets: LockTargets[]) =>
    calls.effect.out.parse((await alice.call(calls.effect, { params, body: { targets } })).body)
  const nothing = { self: false, lastAdministrator: false, users: 0, signIns: 0, terminals: 0 }
  expect(await effect([])).toEqual(nothing)
  expect(await effect([{ user: 'nobody' }, { login: 'root' }])).toEqual(nothing)
  expect(await effect([{ user: 'bob' }])).toEqual({ ...nothing, users: 1, signIns: 2 })
  expect(await effect([{ user: 'bob' }, { role: 'access' }])).toMatchObject({ self: true, lastAdministrator: true, users: 2 })
  await put({ targets: { user: 'bob' } })
  expect(await effect([{ user: 'bob' }])).toMatchObject({ users: 1, signIns: 0 })
  const [own] = calls.mfaDevices.out.parse((await alice.call(calls.mfaDevices, { params })).body)
  expect(await effect([{ mfa_device: own?.id ?? '' }])).toMatchObject({ self: true, users: 0, signIns: 2 })
})

test('a locked server cannot send a heartbeat', async () => {
  const id = '5a2a1f4e-1111-4111-8111-000000000000'
  const heartbeat = { id, hostname: 'web-1', tunnel: true }
  await api.context.inventory.heartbeat(heartbeat)
  const name = nameOf(await put({ targets: { node: id } }))
  await expect(api.context.inventory.heartbeat(heartbeat)).rejects.toThrow(`lock targeting Node:"${id}" is in force`)
  await lift(name)
  await api.context.inventory.heartbeat(heartbeat)
})

test('R7-076: a renewal that a lock overtakes yields no session that comes back to life when the lock is lifted', async () => {
  const bob = await signedIn(api, 'bob')
  const session = await api.context.sessions.find(cookieOf(bob))
  if (!session) throw new Error('no session')
  const renewal = api.context.sessions.renew(session, 'plain')
  const placing = put({ targets: { user: 'bob' } })
  const [renewed, placed] = await Promise.allSettled([renewal, placing])
  if (placed.status === 'rejected') throw placed.reason
  await lift(nameOf(placed.value))
  if (renewed.status === 'fulfilled') expect(await api.context.sessions.find(renewed.value.cookie)).toBeUndefined()
  expect(await bob.call(userStatus)).toMatchObject({ status: 403 })
})
const cookieOf = (browser: ApiBrowser): { user: string; sid: string } =>
  JSON.parse(Buffer.from(browser.sessionCookie ?? '', 'hex').toString()) as { user: string; sid: string }

import { signIn, userStatus } from '@sallyport/wire/calls/session.ts'
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import { completeUserToken, create, createUserToken, list, read, readUserToken, remove, update } from '@sallyport/wire/calls/users.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { base64, setUpWithApp, signedIn, signInWithApp } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'

const connector = { type: 'github' as const, id: 'octo', identity: 'octocat' }
const addSsoUser = (api: ProxyApi, name: string) =>
  api.context.users.create({ metadata: { name }, spec: { roles: ['access'], created_by: { connector } } })

test('R7-085: users are listed with roles, type and what keeps them out; without the right they are not', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  await api.invite('bob')
  await addSsoUser(api, 'octocat')
  expect(await alice.call(list)).toMatchObject({
    status: 200,
    body: [
      { name: 'alice', roles: ['editor', 'access', 'auditor'], authType: 'local', state: 'active' },
      { name: 'bob', roles: ['access'], authType: 'local', state: 'invited' },
      { name: 'octocat', roles: ['access'], authType: 'github', connector: 'octo', state: 'active' },
    ],
  })
  const carol = await signedIn(api, 'carol')
  expect(await carol.call(list)).toMatchObject({ status: 403, message: 'access denied to perform action "list" on "user"' })
})
test('a lock, and too many wrong attempts, show in the list', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const bob = await setUpWithApp(api, 'bob')
  for (let attempt = 0; attempt < 5; attempt += 1)
    await api
      .browser()
      .trustPage()
      .call(signIn, { body: { user: bob.name, pass: 'wrong' } })
  expect((await alice.call(list)).body).toContainEqual(expect.objectContaining({ name: 'bob', state: 'blocked' }))
  await api.context.locks.put({ metadata: { name: 'lock' }, spec: { target: { user: 'bob' }, message: 'on leave' } }, 'alice')
  expect((await alice.call(list)).body).toContainEqual(expect.objectContaining({ name: 'bob', state: 'locked' }))
  expect((await alice.call(read, { params: { name: 'bob' } })).body).toMatchObject({ lock: expect.stringContaining('on leave') })
})

test('R7-087, R8-035: a user is made, audited, and cannot sign in before a link was used', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const made = await alice.call(create, { body: { name: 'zoe', roles: ['access'], traits: { logins: ['root'], kubeGroups: [] } } })
  expect(made).toMatchObject({
    status: 200,
    body: {
      name: 'zoe',
      roles: ['access'],
      authType: 'local',
      traits: { logins: ['root'] },
      allTraits: { logins: ['root'] },
      createdBy: 'alice',
      devices: 0,
      state: 'invited',
    },
  })
  expect(await api.events('T1002I')).toContainEqual(
    expect.objectContaining({ user: 'alice', name: 'zoe', roles: ['access'], connector: 'local' }),
  )
  const zoe = api.browser().trustPage()
  expect(await zoe.call(signIn, { body: { user: 'zoe', pass: '' } })).toMatchObject({ status: 403, message: 'invalid credentials' })
  expect(await alice.call(create, { body: { name: 'zoe', roles: ['access'] } })).toMatchObject({
    status: 409,
    message: 'user "zoe" already registered',
  })
})
test.each([
  [{ roles: ['access'] }, 'missing user name'],
  [{ name: 'zoe' }, 'missing roles'],
  [{ name: 'zoe', roles: [] }, 'missing roles'],
  [{ name: 'zoe', roles: ['access', 'nothing'] }, 'role "nothing" does not exist'],
  [{ name: '../zoe', roles: ['access'] }, 'the user name "../zoe" may hold'],
  [{ name: 'zoe', roles: ['access'], traits: { logins: ['a'] }, allTraits: { logins: ['b'] } }, 'either traits or allTraits'],
  [{ name: 'zoe', roles: ['access'], traits: { logins: 'root' } }, 'traits.logins'],
])('a user is not made from %j', async (body, message) => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  expect(await alice.send('POST', '/v1/webapi/users', body)).toMatchObject({ status: 400, message: expect.stringContaining(message) })
  expect(await api.context.users.get('zoe')).toBeUndefined()
  expect(await api.events('T1002I')).toHaveLength(1)
})

test('R7-086, R3-098, R8-036: roles and traits change; absent traits stay, empty ones go, those of other names are kept', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const seven = {
    logins: ['root', 'bob'],
    databaseUsers: ['du'],
    databaseNames: ['dn'],
    kubeUsers: ['ku'],
    kubeGroups: ['kg'],
    windowsLogins: ['wl'],
    awsRoleArns: ['arn:aws:iam::123456789012:role/r'],
  }
  await alice.call(create, { body: { name: 'bob', roles: ['access'], traits: seven } })
  expect((await alice.call(read, { params: { name: 'bob' } })).body).toMatchObject({ traits: seven })
  await alice.call(update, { body: { name: 'bob', roles: ['access'], allTraits: { logins: ['root'], team: ['red', 'blue'] } } })
  const changed = await alice.call(update, {
    body: { name: 'bob', roles: ['auditor'], traits: { kubeGroups: ['dev'], windowsLogins: [], logins: null } },
  })
  expect(changed).toMatchObject({ status: 200, body: { roles: ['auditor'] } })
  expect(read.out.parse((await alice.call(read, { params: { name: 'bob' } })).body)).toMatchObject({
    traits: { logins: ['root'], kubeGroups: ['dev'] },
    allTraits: { logins: ['root'], kubernetes_groups: ['dev'], team: ['red', 'blue'] },
  })
  await alice.call(update, { body: { name: 'bob', roles: ['auditor'], traits: { logins: [] } } })
  expect((await api.context.users.require('bob')).spec.traits).toEqual({ kubernetes_groups: ['dev'], team: ['red', 'blue'] })
  expect((await api.events('T1003I')).at(-1)).toMatchObject({ user: 'alice', name: 'bob', roles: ['auditor'], connector: 'local' })
  expect(await alice.call(update, { body: { name: 'nobody', roles: ['access'] } })).toMatchObject({
    status: 404,
    message: 'user "nobody" is not found',
  })
})
test('a change of roles counts for the next request of a session that is open', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const dan = await signedIn(api, 'dan')
  expect(await dan.call(list)).toMatchObject({ status: 403 })
  await alice.call(update, { body: { name: 'dan', roles: ['editor'] } })
  expect(await dan.call(list)).toMatchObject({ status: 200 })
})
test('a role that is gone does not stand in the way of a change', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  await api.context.roles.create({ metadata: { name: 'temp' }, spec: {} })
  await alice.call(create, { body: { name: 'zoe', roles: ['temp', 'access'] } })
  await api.context.roles.delete('temp')
  expect(await alice.call(update, { body: { name: 'zoe', roles: ['temp', 'access'], traits: { logins: ['zoe'] } } })).toMatchObject({
    status: 200,
  })
})

test('R7-088: a user is read with traits; who may not gets a refusal, an unknown name 404', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  expect(await alice.call(read, { params: { name: 'alice' } })).toMatchObject({
    status: 200,
    body: { name: 'alice', devices: 1, traits: { logins: expect.arrayContaining(['root']) as string[] } },
  })
  expect(await alice.call(read, { params: { name: 'nobody' } })).toMatchObject({ status: 404, message: 'user "nobody" is not found' })
  const carol = await signedIn(api, 'carol')
  expect(await carol.call(read, { params: { name: 'nobody' } })).toMatchObject({ status: 403 })
})
test('names that look like parts of other addresses are users like others', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  for (const name of ['password', 'sessions', 'a@b.example', 'ü']) {
    await alice.call(create, { body: { name, roles: ['access'] } })
    expect(await alice.call(read, { params: { name } })).toMatchObject({ status: 200, body: { name } })
    expect(await alice.send('GET', `/v1/webapi/users/${encodeURIComponent(name)}/sessions`)).toMatchObject({ status: 200, body: [] })
    expect(await alice.call(remove, { params: { name } })).toMatchObject({ status: 200, body: { message: 'ok' } })
  }
})

test('R7-089, R8-037: deleting ends sessions and leaves nothing for whoever gets the name next; the own account is refused', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  const person = await setUpWithApp(api, 'bob')
  const bob = await signInWithApp(api, person)
  expect(await alice.call(remove, { params: { name: 'alice' } })).toMatchObject({
    status: 400,
    message: 'cannot delete own user account',
  })
  expect(await alice.call(remove, { params: { name: 'nobody' } })).toMatchObject({ status: 404 })
  expect(await alice.call(remove, { params: { name: 'bob' } })).toMatchObject({ status: 200, body: { message: 'ok' } })
  expect(await api.events('T1004I')).toMatchObject([{ user: 'alice', name: 'bob' }])
  expect(await bob.call(userStatus)).toMatchObject({ status: 403 })
  expect(await alice.call(userStatus)).toMatchObject({ status: 200 })

  await alice.call(create, { body: { name: 'bob', roles: ['access'] } })
  const link = createUserToken.out.parse((await alice.call(createUserToken, { body: { name: 'bob', type: 'invite' } })).body)
  expect(await bob.call(userStatus)).toMatchObject({ status: 403 })
  await expect(signInWithApp(api, person)).rejects.toThrow('invalid credentials')
  expect((await alice.call(read, { params: { name: 'bob' } })).body).toMatchObject({ devices: 0, state: 'invited' })
  expect(await api.browser().call(readUserToken, { params: { tokenId: link.tokenId } })).toMatchObject({ status: 200 })
})
test('users who are removed and made again at the same time keep their new link', async () => {
  await using api = await openProxyApi()
  await api.invite('bob')
  const { accounts } = api.context
  const [, made] = await Promise.all([accounts.remove('bob', 'test'), accounts.create({ name: 'bob', roles: [], logins: [] }, 'test')])
  expect(await api.browser().call(readUserToken, { params: { tokenId: made.tokenId } })).toMatchObject({ status: 200 })
})

test('a link lives as long as it was asked for, an hour to two days', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  await alice.call(create, { body: { name: 'zoe', roles: ['access'] } })
  const hours = async (type: 'invite' | 'password', lifetimeSeconds?: number, ttl?: string) => {
    const asked = { name: 'zoe', type, lifetimeSeconds, ttl }
    const { status, body, message } = await alice.send('POST', '/v1/webapi/users/password/token', asked)
    if (status !== 200) return `${status} ${message}`
    return Math.round((Date.parse(createUserToken.out.parse(body).expiry) - api.clock.now()) / 3_600_000)
  }
  expect(await hours('invite')).toBe(1)
  expect(await hours('invite', 48 * 3600)).toBe(48)
  expect(await hours('password', 24 * 3600)).toBe(24)
  expect(await hours('invite', 49 * 3600)).toMatch(/^400 lifetimeSeconds: /)
  expect(await hours('invite', 60)).toMatch(/^400 lifetimeSeconds: /)
  // The contract's `ttl` counts for nothing.
  expect(await hours('invite', undefined, '5m')).toBe(1)
  expect(await hours('password', 48 * 3600)).toBe('400 A link of this kind lives for 24 hours at most')
  expect((await api.events('T6000I')).map(({ ttl }) => ttl)).toEqual(['1h0m0s', '1h0m0s', '48h0m0s', '24h0m0s', '1h0m0s'])
})
test('a link of two days still sets an account up on the second day', async () => {
  await using api = await openProxyApi({ secondFactor: 'off' })
  await api.invite('bob')
  const { tokenId } = await api.context.accounts.reset('bob', 'invite', 'test', 48 * 3_600_000)
  api.clock.advance(47 * 3_600_000)
  const completed = await api
    .browser()
    .trustPage()
    .call(completeUserToken, { body: { token: tokenId, password: base64('a good password') } })
  expect(completed).toMatchObject({ status: 200 })
})
test('a user of an identity provider has nothing that a link could reset', async () => {
  await using api = await openProxyApi()
  const alice = await signedIn(api, 'alice')
  await addSsoUser(api, 'octocat')
  expect(await alice.call(createUserToken, { body: { name: 'octocat', type: 'password' } })).toMatchObject({
    status: 400,
    message: 'user "octocat" signs in through an identity provider: there is nothing to reset here',
  })
})
test('R3-037, R3-046: the access area of users follows exactly the rules of a role', async () => {
  await using api = await openProxyApi()
  const dan = await signedIn(api, 'dan')
  const area = async () => {
    const { userAcl } = userContext.out.parse((await dan.call(userContext, { params: { clusterId: 'sallyport' } })).body)
    const { list: lists, read: reads, create: creates, edit, remove: removes } = userAcl.users
    return { list: lists, read: reads, create: creates, edit, remove: removes }
  }
  expect(await area()).toEqual({ list: false, read: false, create: false, edit: false, remove: false })
  await api.context.roles.create({
    metadata: { name: 'helpdesk' },
    spec: { allow: { rules: [{ resources: ['user'], verbs: ['list', 'read', 'update'] }] } },
  })
  await api.context.accounts.change('dan', (user) => ({ ...user, spec: { ...user.spec, roles: ['helpdesk'] } }), 'test')
  expect(await area()).toEqual({ list: true, read: true, create: false, edit: true, remove: false })
})

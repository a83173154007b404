import { randomUUID } from 'node:crypto'
import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { callerOf, personRoles } from '@sallyport/testkit/callers.ts'
import { aclAreas, aclFlags, areaKinds, flagVerbs, noAccess } from '@sallyport/wire/acl.ts'
import type { AclArea } from '@sallyport/wire/acl.ts'
import { userContextWire } from '@sallyport/wire/entities/user-context.ts'
import { expect, test } from 'vitest'
import type { SessionRecording } from '../../core/cluster/cluster-documents.ts'
import { roleKind } from '../../core/access/role.ts'
import { createChangeFeed } from '../../core/resources/change-feed.ts'
import { openInventory } from '../../core/inventory/inventory.ts'
import { createLog } from '../../core/log.ts'
import { noLocks } from '../../core/locks/lock-doubles.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import { userKind } from '../../core/users.ts'
import { openStore } from '../../store/db.ts'
import { clustersRoutes } from './routes.ts'

async function world({ assistEnabled = false } = {}) {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore({ kind: 'sqlite', file: ':memory:' }))
  const clock = { now: () => Date.parse('2026-11-21T10:00:00Z') }
  const deps = { db: store.db, feed: createChangeFeed(), clock }
  const roles = createResourceStore(roleKind, deps)
  const users = createResourceStore(userKind, deps)
  const inventory = opened.use(await openInventory({ db: store.db, clock, locks: noLocks, log: createLog('silent') }))
  const cluster = { name: 'root', publicUrl: 'http://localhost:3080', version: '0.1.0' }
  const settings: { sessionRecording: SessionRecording } = { sessionRecording: { mode: 'node-sync' } }
  const requests = { capabilities: () => Promise.resolve({ requestableRoles: [], suggestedReviewers: [] }) }
  const factors = { hasPassword: () => Promise.resolve(true) }
  const api = opened.use(
    await openAreaApi(
      clustersRoutes({
        cluster,
        users,
        inventory,
        seesOther: () => false,
        clock,
        factors,
        settings,
        requests,
        locks: noLocks,
        leaves: { listFor: () => Promise.resolve([]) },
        assistEnabled,
      }),
    ),
  )
  const disposables = opened.move()
  return {
    roles,
    users,
    inventory,
    settings,
    api,
    person: (name: keyof typeof personRoles) => callerOf(roles, name, personRoles[name]),
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

test('R7-021: GET /sites answers an array with the own cluster first; 403 without a session', async () => {
  await using it = await world()
  expect(await it.api.get(await it.person('dan'), '/v1/webapi/sites')).toEqual({
    status: 200,
    body: [
      {
        name: 'root',
        lastConnected: '2026-11-21T10:00:00.000Z',
        status: 'online',
        nodeCount: 0,
        publicURL: 'localhost:3080',
        authVersion: '0.1.0',
        proxyVersion: '0.1.0',
      },
    ],
  })
  expect(await it.api.get(undefined, '/v1/webapi/sites')).toMatchObject({ status: 403 })
})
test('R3-032: context.cluster names the root cluster, under its own name and as -current-; others answer 404', async () => {
  await using it = await world()
  const dan = await it.person('dan')
  const expected = {
    name: 'root',
    status: 'online',
    nodeCount: 0,
    publicURL: 'localhost:3080',
    authVersion: '0.1.0',
    proxyVersion: '0.1.0',
  }
  for (const path of ['sites/root/context', 'sites/-current-/context', 'context'])
    expect(await it.api.get(dan, `/v1/webapi/${path}`)).toMatchObject({
      status: 200,
      body: { userName: 'dan', authType: 'local', cluster: expected },
    })
  expect(await it.api.get(dan, '/v1/webapi/sites/leaf/context')).toMatchObject({ status: 404 })
})
test('a user of an identity provider has the type sso', async () => {
  await using it = await world()
  const created_by = { connector: { type: 'github' as const, id: 'hub', identity: 'd' } }
  await it.users.create({ metadata: { name: 'dan' }, spec: { roles: ['access'], created_by } })
  expect((await it.api.get(await it.person('dan'), '/v1/webapi/context')).body).toMatchObject({ authType: 'sso' })
})
test('desktops count as recorded only while the cluster records at all', async () => {
  await using it = await world()
  const context = async () => (await it.api.get(await it.person('bob'), '/v1/webapi/context')).body
  expect(await context()).toMatchObject({ userAcl: { desktopSessionRecording: true } })
  it.settings.sessionRecording = { mode: 'off' }
  expect(await context()).toMatchObject({ userAcl: { desktopSessionRecording: false } })
})
test('R3-033, R3-037: userAcl holds every area with its flags', async () => {
  await using it = await world()
  const { body } = await it.api.get(await it.person('alice'), '/v1/webapi/context')
  const { userAcl } = body as { userAcl: Record<string, Record<string, unknown>> }
  for (const area of aclAreas) for (const flag of aclFlags) expect(userAcl[area]?.[flag], `${area}.${flag}`).toBeTypeOf('boolean')
})
test('R3-040, R3-041, R3-042, R3-043, R3-044, R3-045, R3-046, R3-047, R3-048, R3-049, R3-050, R3-052, R3-053, R3-054, R3-055, R3-056, R3-057, R3-058, R3-059, R3-060, R3-061, R3-062, R3-063, R3-064, R3-038: a role with rules for a kind flips exactly the flags of its area', async () => {
  await using it = await world({ assistEnabled: true })
  const aclOf = async (roles: string[]) =>
    userContextWire.parse(
      (await it.api.get(await callerOf(it.roles, `p-${roles.join('-')}`, { roles, logins: [] }), '/v1/webapi/context')).body,
    ).userAcl
  await it.roles.create({ metadata: { name: 'nothing' }, spec: {} })
  const base = await aclOf(['nothing'])
  const absent = new Set<AclArea>(['billing'])
  for (const area of aclAreas.filter((name) => !absent.has(name)))
    for (const flag of aclFlags) {
      const name = `only-${area}-${flag}`
      await it.roles.create({
        metadata: { name },
        spec: { allow: { rules: [{ resources: [areaKinds[area]], verbs: [flagVerbs[flag]] }] } },
      })
      expect(await aclOf([name])).toEqual({ ...base, [area]: { ...base[area], [flag]: true } })
    }
})
test('R3-051: what this cluster does not have stays false, whoever asks', async () => {
  await using it = await world()
  const { body } = await it.api.get(await it.person('alice'), '/v1/webapi/context')
  expect(userContextWire.parse(body).userAcl).toMatchObject({
    billing: noAccess,
    assist: noAccess,
    users: { list: true },
  })
})
test('resources/check tells whether anything is there that the caller may see', async () => {
  await using it = await world()
  const path = '/v1/webapi/sites/root/resources/check'
  const bob = await it.person('bob')
  expect((await it.api.get(bob, path)).body).toEqual({ hasResource: false })
  await it.inventory.heartbeat({ id: randomUUID(), hostname: 'h', tunnel: true })
  expect((await it.api.get(bob, path)).body).toEqual({ hasResource: true })
  expect((await it.api.get(await it.person('dan'), path)).body).toEqual({ hasResource: false })
})

test('R7-062: resources/check tells whether there is anything that the caller may see', async () => {
  await using it = await world()
  const check = async (name: keyof typeof personRoles) => it.api.get(await it.person(name), '/v1/webapi/sites/root/resources/check')
  expect(await check('alice')).toEqual({ status: 200, body: { hasResource: false } })
  await it.inventory.heartbeat({ id: randomUUID(), hostname: 'web', addr: '', tunnel: true, labels: {} })
  expect(await check('alice')).toEqual({ status: 200, body: { hasResource: true } })
  expect((await it.api.get(await it.person('alice'), '/v1/webapi/resources/check')).body).toEqual({ hasResource: true })
  expect(await check('dan')).toEqual({ status: 200, body: { hasResource: false } })
})

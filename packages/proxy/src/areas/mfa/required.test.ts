import { randomUUID } from 'node:crypto'
import { openAreaApi } from '@sallyport/testkit/area-api.ts'
import { callerOf } from '@sallyport/testkit/callers.ts'
import { expect, test } from 'vitest'
import { roleKind } from '../../core/access/role.ts'
import { createChangeFeed } from '../../core/resources/change-feed.ts'
import { openInventory } from '../../core/inventory/inventory.ts'
import { createLog } from '../../core/log.ts'
import { noLocks } from '../../core/locks/lock-doubles.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import { openStore } from '../../store/db.ts'
import { mfaRequiredRoutes } from './required.ts'

const path = '/v1/webapi/sites/root/mfa/required'

async function world(require_session_mfa: boolean = false) {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore({ kind: 'sqlite', file: ':memory:' }))
  const clock = { now: () => Date.parse('2026-11-21T10:00:00Z') }
  const roles = createResourceStore(roleKind, { db: store.db, feed: createChangeFeed(), clock })
  const role = (name: string, env: string, asks: boolean) =>
    roles.create({
      metadata: { name },
      spec: { options: { require_session_mfa: asks }, allow: { logins: ['root'], node_labels: { env } } },
    })
  await role('careful', 'prod', true)
  await role('relaxed', 'test', false)
  await role('wide', '*', false)
  const inventory = opened.use(await openInventory({ db: store.db, clock, locks: noLocks, log: createLog('silent') }))
  for (const env of ['prod', 'test'])
    await inventory.heartbeat({ id: randomUUID(), hostname: env, tunnel: false, addr: `${env}:22`, labels: { env } })
  const api = opened.use(
    await openAreaApi(
      mfaRequiredRoutes({
        cluster: { name: 'root', publicUrl: 'http://localhost:3080', version: '0.1.0' },
        settings: { authPreference: { require_session_mfa } as never },
        inventory,
        desktops: { get: () => undefined },
        kubernetes: { registry: { get: (id) => (id === 'prod' || id === 'test' ? { id, labels: { env: id } } : undefined) } },
      }),
    ),
  )
  const disposables = opened.move()
  return {
    async required(held: readonly string[], node_name: string, login = 'root') {
      const caller = await callerOf(roles, held.join(' '), { roles: held, logins: [] })
      return (await api.post(caller, path, { node: { node_name, login } })).body
    },
    async send(body: object, at = path) {
      return api.post(await callerOf(roles, 'bob', { roles: ['relaxed'], logins: [] }), at, body)
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

test('R7-064: a second factor is asked for where every role that grants the access demands it', async () => {
  await using it = await world()
  expect(await it.required(['careful'], 'prod')).toEqual({ required: true })
  expect(await it.required(['relaxed'], 'test')).toEqual({ required: false })
  expect(await it.required(['careful', 'relaxed'], 'prod')).toEqual({ required: true })
  expect(await it.required(['careful', 'relaxed'], 'test')).toEqual({ required: false })
  expect(await it.required(['careful', 'wide'], 'prod')).toEqual({ required: false })
  expect(await it.required(['careful', 'relaxed'], 'prod', 'nobody')).toEqual({ required: false })
  expect(await it.required(['relaxed', 'careful'], 'unknown')).toEqual({ required: false })
})

test('the cluster may demand it of everybody', async () => {
  await using it = await world(true)
  expect(await it.required(['relaxed'], 'test')).toEqual({ required: true })
})

test('R7-064: exactly one target; what is not there is told', async () => {
  await using it = await world()
  const node = { node_name: 'test', login: 'root' }
  expect(await it.send({})).toMatchObject({ status: 400, body: { error: { message: 'missing target for MFA check' } } })
  expect(await it.send({ node, kube: { cluster_name: 'x' } })).toMatchObject({
    status: 400,
    body: { error: { message: 'only one target is allowed for MFA check' } },
  })
  expect(await it.send({ kube: { cluster_name: 'x' } })).toMatchObject({ status: 404 })
  expect(await it.send({ database: { service_name: 'x', protocol: 'postgres' } })).toMatchObject({ status: 404 })
  expect(await it.send({ windows_desktop: { desktop_name: 'x', login: 'x' } })).toEqual({ status: 200, body: { required: false } })
  expect(await it.send({ node }, '/v1/webapi/mfa/required')).toEqual({ status: 200, body: { required: false } })
  expect(await it.send({ node }, path.replace('root', 'elsewhere'))).toMatchObject({ status: 404 })
})

/** Single resources of every kind that somebody may use only because of an access request: each of their doors, over the wire. */
import * as requests from '@sallyport/wire/calls/access-requests.ts'
import { apps } from '@sallyport/wire/calls/apps.ts'
import { createDatabase, databases } from '@sallyport/wire/calls/databases.ts'
import { desktops } from '@sallyport/wire/calls/desktops.ts'
import { test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { kubernetes, kubernetesResources } from '@sallyport/wire/calls/kubernetes.ts'
import { mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { create as createRole, update as updateRole } from '@sallyport/wire/calls/roles.ts'
import { renew, signIn } from '@sallyport/wire/calls/session.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import type { RequestableKind } from '@sallyport/wire/entities/access-request.ts'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { ApiClient } from './api-client.ts'
import { addApp, AppBrowser } from './app-browser.ts'
import { DesktopClient } from './desktop-client.ts'
import { saveDocuments } from './kube-client.ts'
import { passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { SqlClient } from './sql-client.ts'
import { addPostgres } from './targets/database.ts'
import { startKubeApi } from './targets/kube-api.ts'
import { whyNoProgram } from './targets/programs.ts'
import { startWebApp } from './targets/web-app.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const opened = new AsyncDisposableStack()
let world: World
let alice: ApiClient
let carol: ApiClient
let dan: ApiClient

/** Of each kind there are two; dan may ask for both of them by the role `everything`. */
const named = { app: 'wiki', db: 'orders', kube_cluster: 'dev', windows_desktop: 'office' } as const
const others = { app: 'board', db: 'bills', kube_cluster: 'prod', windows_desktop: 'attic' } as const
type Kind = keyof typeof named
const kinds = ['app', 'kube_cluster', 'windows_desktop', 'db'] as const

const everything = {
  app_labels: { '*': '*' },
  db_labels: { '*': '*' },
  db_users: ['reader'],
  db_names: ['orders'],
  kubernetes_labels: { '*': '*' },
  kubernetes_groups: ['developers'],
  kubernetes_resources: [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }],
  windows_desktop_labels: { '*': '*' },
  windows_desktop_logins: ['lucy'],
}
const roleOf = (name: string, allow: object, options: object = {}) => ({
  content: JSON.stringify({ kind: 'role', version: 'v7', metadata: { name }, spec: { options, allow } }),
})

beforeAll(async () => {
  world = opened.use(await createWorld({ people: ['alice', 'carol', 'dan'], settings: { secondFactor: 'off' } }))
  const [wiki, api] = [opened.use(await startWebApp()), opened.use(await startKubeApi())]
  for (const name of [named.app, others.app]) await addApp(world, name, { uri: wiki.uri })
  const cluster = (name: string) => ({
    kind: 'kube_cluster',
    version: 'v3',
    metadata: { name, labels: {} },
    spec: { kubeconfig: api.kubeconfig },
  })
  // Nobody answers there: who is let through hears so, and nobody else.
  const desktop = (name: string) => ({
    kind: 'windows_desktop',
    version: 'v3',
    metadata: { name, labels: {} },
    spec: { addr: '127.0.0.1:1', logins: [{ name: 'lucy', password: 'x' }] },
  })
  await saveDocuments(
    world,
    cluster(named.kube_cluster),
    cluster(others.kube_cluster),
    desktop(named.windows_desktop),
    desktop(others.windows_desktop),
  )
  alice = await signedIn('alice')
  for (const [name, allow] of [
    ['everything', everything],
    [
      'asks',
      {
        request: { search_as_roles: ['everything'] },
        rules: [{ resources: ['connection_diagnostic'], verbs: ['create', 'update', 'read'] }],
      },
    ],
    ['decides', { review_requests: { roles: ['everything'] } }],
  ] as const)
    await alice.call(createRole, { body: roleOf(name, allow) })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['asks'] } })
  await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'decides'] } })
  carol = await signedIn('carol')
})
beforeEach(async () => {
  dan = await signedIn('dan')
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => opened.disposeAsync())

async function signedIn(name: Name): Promise<ApiClient> {
  const client = new ApiClient(world.url)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
  return client
}
const idOf = (kind: RequestableKind, name: string) => ({ kind, name, clusterName: world.cluster })

async function approved(kind: Kind, maxDuration = ''): Promise<string> {
  const { id } = await dan.call(requests.create, { body: { resourceIds: [idOf(kind, named[kind])], maxDuration } })
  await carol.call(requests.review, { params: { requestId: id }, body: { state: 'APPROVED', reason: '', roles: [] } })
  return id
}
async function assume(requestId: string): Promise<void> {
  dan.bearer = (await dan.call(renew, { body: { requestId } })).token
}
const drop = async (): Promise<void> => {
  dan.bearer = (await dan.call(renew, { body: { switchback: true } })).token
}
async function eventsOf(code: string) {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
  return events.filter((event) => event.code === code && event.user === 'dan')
}

/** Names in the list of a kind; those that have to be requested first end in a star. */
async function listed(kind: Kind, query: { searchAsRoles?: string } = {}): Promise<string[]> {
  const list = { app: apps, db: databases, kube_cluster: kubernetes, windows_desktop: desktops }[kind]
  const { items } = await dan.call(list, { params: { clusterId: world.cluster }, query })
  return items.map(({ name, requiresRequest }) => `${name}${requiresRequest ? '*' : ''}`).toSorted()
}

/** Uses one of them as a browser does. Rejects with what it is refused with. */
const doors: Record<Kind, (name: string) => Promise<unknown>> = {
  async app(name) {
    const browser = new AppBrowser(world.url, `${name}.localhost`)
    await browser.enter(dan, world.cluster)
    if ((await browser.send('/')).status !== 200) throw new Error('refused')
  },
  kube_cluster: (name) =>
    dan.call(kubernetesResources, {
      params: { clusterId: world.cluster },
      query: { kind: 'pod', kubeCluster: name, kubeNamespace: 'default' },
    }),
  async windows_desktop(name) {
    await using client = await DesktopClient.open(dan, { cluster: world.cluster, desktop: name, login: 'lucy' })
    if (client.socket.readyState !== client.socket.CLOSED) await once(client.socket, 'close')
    const said = client.messages.flatMap((message) => (message.kind === 'alert' ? [message.text] : [])).join()
    if (!said.includes('does not answer')) throw new Error(said)
  },
  async db(name) {
    await using sql = await SqlClient.open(dan, { cluster: world.cluster, database: name, user: 'reader', name: 'orders' })
    expect(await sql.run('select 6 * 7')).toContainEqual(expect.objectContaining({ type: 'rows' }))
  },
}

describe.skipIf(whyNoProgram('initdb'))('with PostgreSQL', () => {
  beforeAll(async () => {
    const { port } = opened.use(await addPostgres(world, alice, named.db))
    const body = { name: others.db, protocol: 'postgres', uri: `127.0.0.1:${port}`, labels: [] }
    await alice.call(createDatabase, { params: { clusterId: world.cluster }, body })
  })

  for (const kind of kinds)
    test(`one ${kind}: it is found, asked for, listed and opened, and nothing beside it; afterwards all is as before`, async () => {
      expect(await listed(kind)).toEqual([])
      expect(await listed(kind, { searchAsRoles: 'yes' })).toEqual([`${named[kind]}*`, `${others[kind]}*`].toSorted())
      await expect(doors[kind](named[kind])).rejects.toThrow()
      const id = await approved(kind)
      await expect(doors[kind](named[kind])).rejects.toThrow()
      await assume(id)
      expect(await listed(kind)).toEqual([named[kind]])
      expect(await listed(kind, { searchAsRoles: 'yes' })).toEqual([named[kind], `${others[kind]}*`].toSorted())
      await doors[kind](named[kind])
      await expect(doors[kind](others[kind])).rejects.toThrow()
      for (const other of kinds) if (other !== kind) expect(await listed(other)).toEqual([])
      const codes = { app: 'T2007I', db: 'TDB00I', kube_cluster: 'T3009I', windows_desktop: 'TDP00W' }
      // What a browser looks up of a cluster is no event of its own.
      if (kind !== 'kube_cluster') expect((await eventsOf(codes[kind]))[0]).toMatchObject({ access_requests: [id] })
      expect((await eventsOf('T5006I'))[0]).toMatchObject({ event: 'access_request.assume', id, roles: ['everything'] })
      await drop()
      expect((await eventsOf('T5007I'))[0]).toMatchObject({ event: 'access_request.drop', access_requests: [id] })
      expect(await listed(kind)).toEqual([])
      await expect(doors[kind](named[kind])).rejects.toThrow()
    })

  for (const kind of kinds)
    test(`one ${kind}: it is closed by a lock on the request and by the end of the access`, async () => {
      const id = await approved(kind)
      await assume(id)
      await doors[kind](named[kind])
      const lock = await world.proxy.locks.place({ target: { access_request: id }, message: 'over' }, 'alice')
      await expect(doors[kind](named[kind])).rejects.toThrow()
      await world.proxy.locks.lift(lock.metadata.name, 'alice')
      await drop()

      await assume(await approved(kind, new Date(Date.now() + 3_600_000).toISOString()))
      await doors[kind](named[kind])
      const real = Date.now.bind(Date)
      vi.spyOn(Date, 'now').mockImplementation(() => real() + 2 * 3_600_000)
      await expect(doors[kind](named[kind])).rejects.toThrow()
    })

  test('a SQL console ends when a lock hits the request that opened it', async () => {
    const id = await approved('db')
    await assume(id)
    await using sql = await SqlClient.open(dan, { cluster: world.cluster, database: named.db, user: 'reader', name: 'orders' })
    const closed = once(sql.socket, 'close')
    await world.proxy.locks.place({ target: { access_request: id }, message: 'over' }, 'alice')
    await closed
    expect(sql.events.at(-1)).toMatchObject({ type: 'end' })
  })

  test('the connection test and the question for a second factor follow what was requested, and what is beside it is not there', async () => {
    const params = { clusterId: world.cluster }
    const tested = async (kind: 'db' | 'kube_cluster', name: string) =>
      (
        await dan.call(testConnection, {
          params,
          body: { resource_kind: kind, resource_name: name, database_user: 'reader', database_name: 'orders' },
        })
      ).success
    const asks = async (name: 'orders' | 'bills', kube: 'dev' | 'prod', desktop: string) => [
      await dan.call(mfaRequired, { params, body: { database: { service_name: name, protocol: 'postgres', username: 'reader' } } }),
      await dan.call(mfaRequired, { params, body: { kube: { cluster_name: kube } } }),
      await dan.call(mfaRequired, { params, body: { windows_desktop: { desktop_name: desktop, login: 'lucy' } } }),
    ]
    await alice.call(updateRole, {
      params: { name: 'everything' },
      body: roleOf('everything', everything, { require_session_mfa: true }),
    })
    const { id } = await dan.call(requests.create, { body: { resourceIds: kinds.map((kind) => idOf(kind, named[kind])) } })
    await carol.call(requests.review, { params: { requestId: id }, body: { state: 'APPROVED', reason: '', roles: [] } })
    await assume(id)
    expect(await asks(named.db, named.kube_cluster, named.windows_desktop)).toEqual([
      { required: true },
      { required: true },
      { required: true },
    ])
    await expect(asks(others.db, named.kube_cluster, named.windows_desktop)).rejects.toMatchObject({ status: 404 })
    await expect(asks(named.db, others.kube_cluster, named.windows_desktop)).rejects.toMatchObject({ status: 404 })
    await alice.call(updateRole, { params: { name: 'everything' }, body: roleOf('everything', everything) })
    expect(await asks(named.db, named.kube_cluster, named.windows_desktop)).toEqual([
      { required: false },
      { required: false },
      { required: false },
    ])
    for (const kind of ['db', 'kube_cluster'] as const)
      expect([await tested(kind, named[kind]), await tested(kind, others[kind])]).toEqual([true, false])
    await drop()
    for (const kind of ['db', 'kube_cluster'] as const) expect(await tested(kind, named[kind])).toBe(false)
  })

  test('one request for several kinds; a role that is changed meanwhile counts at once', async () => {
    const { id } = await dan.call(requests.create, { body: { resourceIds: kinds.map((kind) => idOf(kind, named[kind])) } })
    await carol.call(requests.review, { params: { requestId: id }, body: { state: 'APPROVED', reason: '', roles: [] } })
    await assume(id)
    for (const kind of kinds) await doors[kind](named[kind])
    const change = (allow: object) => alice.call(updateRole, { params: { name: 'everything' }, body: roleOf('everything', allow) })
    await change({})
    for (const kind of kinds) await expect(doors[kind](named[kind])).rejects.toThrow()
    for (const kind of kinds) expect(await listed(kind)).toEqual([])
    await change(everything)
    for (const kind of kinds) await doors[kind](named[kind])
  })
})

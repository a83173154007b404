/** Clusters through the proxy, for native clients: as whom people come there, what they reach, and what is written down. */
import { test as testConnection } from '@sallyport/wire/calls/diagnostics.ts'
import { mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { kubernetes, kubernetesPods, kubernetesResources } from '@sallyport/wire/calls/kubernetes.ts'
import { searchEvents as search } from '@sallyport/wire/calls/events.ts'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { KubeClient, saveDocuments } from './kube-client.ts'
import { startKubeApi } from './targets/kube-api.ts'
import type { KubeApi } from './targets/kube-api.ts'
import { whyNoProgram } from './targets/programs.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let api: KubeApi
let console: ApiClient
let alice: KubeClient
let bob: KubeClient
const opened = new AsyncDisposableStack()

const role = (name: string, allow: object, more: object = {}, version = 'v7') => ({
  kind: 'role',
  version,
  metadata: { name },
  spec: { allow, ...more },
})
const user = (name: string, roles: string[], traits: Record<string, string[]> = {}) => ({
  kind: 'user',
  version: 'v2',
  metadata: { name },
  spec: { roles, traits },
})
const cluster = (name: string, labels: object) => ({
  kind: 'kube_cluster',
  version: 'v3',
  metadata: { name, labels },
  spec: { kubeconfig: api.kubeconfig },
})

beforeAll(async () => {
  world = opened.use(await createWorld({ people: ['alice', 'bob', 'carol'] }))
  api = opened.use(await startKubeApi())
  await saveDocuments(
    world,
    role('developer', {
      kubernetes_labels: { env: 'dev' },
      kubernetes_users: ['dev-{{internal.logins}}'],
      kubernetes_groups: ['developers', 'viewers'],
      kubernetes_resources: [
        { kind: 'pod', namespace: 'default', name: 'web-*', verbs: ['*'] },
        { kind: 'namespace', name: '*', verbs: ['get', 'list'] },
      ],
    }),
    user('alice', ['editor', 'access', 'auditor'], {
      logins: ['root'],
      kubernetes_users: ['admin'],
      kubernetes_groups: ['system:masters'],
    }),
    user('bob', ['developer'], { logins: ['bob'] }),
    user('carol', ['developer'], { logins: ['carol'] }),
    cluster('dev', { env: 'dev' }),
    cluster('prod', { env: 'prod' }),
  )
  console = await world.signIn('alice')
  alice = opened.use(await KubeClient.signIn(world, 'alice'))
  bob = opened.use(await KubeClient.signIn(world, 'bob'))
})
afterAll(() => opened.disposeAsync())

const eventsOf = async (type: string) => {
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const to = new Date(Date.now() + 3_600_000).toISOString()
  const { events } = await console.call(search, { params: { clusterId: world.cluster }, query: { from, to, include: type, limit: '500' } })
  return events
}
const names = ({ body }: { body: string }): string[] =>
  (JSON.parse(body) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name)

test('R7-041 R3-110: clusters are listed with whom one may become there, and the six parameters count', async () => {
  const params = { clusterId: world.cluster }
  const list = (query: object = {}) => console.call(kubernetes, { params, query })
  expect(await list()).toEqual({
    items: ['dev', 'prod'].map((name) => ({
      kind: 'kube_cluster',
      name,
      labels: [{ name: 'env', value: name }],
      kubernetes_users: ['admin'],
      kubernetes_groups: ['system:masters'],
    })),
    startKey: '',
    totalCount: 2,
  })
  expect((await list({ sort: 'name:desc' })).items.map(({ name }) => name)).toEqual(['prod', 'dev'])
  expect((await list({ search: 'PRO' })).items.map(({ name }) => name)).toEqual(['prod'])
  expect((await list({ query: 'labels["env"] == "dev"' })).items.map(({ name }) => name)).toEqual(['dev'])
  const first = await list({ limit: '1', searchAsRoles: '' })
  expect(first.items.map(({ name }) => name)).toEqual(['dev'])
  expect((await list({ limit: '1', startKey: first.startKey })).items.map(({ name }) => name)).toEqual(['prod'])
  const own = await (await world.signIn('bob')).call(kubernetes, { params, query: {} })
  expect(own.items).toMatchObject([{ name: 'dev', kubernetes_users: ['dev-bob'], kubernetes_groups: ['developers', 'viewers'] }])
})

test('what runs in a cluster is listed as everything is, and written down; other consoles ask for pods at an address of their own', async () => {
  const params = { clusterId: world.cluster }
  const list = async (query: object) => console.call(kubernetesResources, { params, query: { kubeCluster: 'dev', ...query } })
  const names = async (query: object) => (await list(query)).items.map(({ name }) => name)
  expect(await names({})).toEqual(['db-1', 'dns-1', 'web-1', 'web-2'])
  expect(await names({ kind: 'namespace', search: 'kube' })).toEqual(['kube'])
  expect(await names({ search: 'WEB default', sort: 'name:desc' })).toEqual(['web-2', 'web-1'])
  expect(await names({ query: 'labels.app == "db-1" || name == "dns-1"' })).toEqual(['db-1', 'dns-1'])
  const first = await list({ limit: '3' })
  expect(first).toMatchObject({ items: { length: 3 }, totalCount: 4 })
  expect(await names({ limit: '3', startKey: first.startKey })).toEqual(['web-2'])
  await expect(list({ sort: 'age:asc' })).rejects.toMatchObject({ status: 501 })
  await expect(list({ query: 'name ==' })).rejects.toMatchObject({ status: 400 })
  const pods = await console.call(kubernetesPods, { params, query: { kubeCluster: 'dev', kubeNamespace: 'kube', limit: 'undefined' } })
  expect(pods.items).toMatchObject([{ kind: 'pod', name: 'dns-1', namespace: 'kube', cluster: 'dev' }])
  expect((await eventsOf('kube.request'))[0]).toMatchObject({
    code: 'T3009I',
    user: 'alice',
    request_path: '/api/v1/namespaces/kube/pods',
    response_code: 200,
    kubernetes_cluster: 'dev',
    resource_kind: 'pods',
    resource_namespace: 'kube',
  })
})

test('people come as the users and groups of their roles, with the credentials of the proxy, and cannot choose others', async () => {
  expect((await bob.send('dev', '/version')).status).toBe(200)
  expect(api.seen.at(-1)).toEqual({ method: 'GET', path: '/version', user: 'dev-bob', groups: ['developers', 'viewers'] })
  expect((await bob.send('dev', '/version', { headers: { 'impersonate-group': 'viewers' } })).status).toBe(200)
  expect(api.seen.at(-1)).toMatchObject({ user: 'dev-bob', groups: ['viewers'] })
  for (const headers of [
    { 'impersonate-user': 'admin' },
    { 'impersonate-group': ['viewers', 'system:masters'] },
    { 'impersonate-extra-scopes': 'x' },
    { 'impersonate-uid': '0' },
  ]) {
    const count = api.seen.length
    const refused = await bob.send('dev', '/version', { headers })
    expect(refused.status, JSON.stringify(headers)).toBe(403)
    // While it looks around, kubectl shows nothing but plain text.
    expect(refused.body).toMatch(/^(your roles do not allow|only users and groups)/)
    expect(api.seen).toHaveLength(count)
  }
  const smuggled = await bob.send('dev', '/version', {
    headers: { authorization: 'Bearer other', connection: 'close, x-evil', 'x-evil': '1', 'x-remote-user': 'admin' },
  })
  expect(smuggled).toMatchObject({ status: 200 })
})

test('whoever may not reach a cluster gets the answer for one that is not there', async () => {
  const hidden = await bob.send('prod', '/version')
  const absent = await bob.send('nothing', '/version')
  expect([hidden.status, absent.status]).toEqual([404, 404])
  expect(hidden.body.replace('prod', 'nothing')).toBe(absent.body)
})

test('roles decide which pods are reached: one by one, and in lists, tables and watches', async () => {
  expect((await bob.send('dev', '/api/v1/namespaces/default/pods/web-1')).status).toBe(200)
  for (const path of [
    '/api/v1/namespaces/default/pods/db-1',
    '/api/v1/namespaces/kube/pods/dns-1',
    '/api/v1/namespaces/kube/pods',
    '/api/v1/namespaces/default/secrets',
  ])
    expect((await bob.send('dev', path)).status, path).toBe(403)
  expect(names(await bob.send('dev', '/api/v1/namespaces/default/pods'))).toEqual(['web-1', 'web-2'])
  expect(
    names(await bob.send('dev', '/api/v1/pods', { headers: { accept: 'application/vnd.kubernetes.protobuf,application/json' } })),
  ).toEqual(['web-1', 'web-2'])
  const table = await bob.send('dev', '/api/v1/namespaces/default/pods', {
    headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
  })
  expect((JSON.parse(table.body) as { rows: { cells: string[] }[] }).rows.map(({ cells }) => cells[0])).toEqual(['web-1', 'web-2'])
  expect(names(await alice.send('dev', '/api/v1/namespaces/default/pods'))).toEqual(['web-1', 'web-2', 'db-1'])
  for (const method of ['POST', 'DELETE'])
    expect((await bob.send('dev', '/api/v1/namespaces/default/pods', { method, body: '{}' })).status, method).toBe(403)

  const watch = await bob.open('dev', '/api/v1/pods?watch=1')
  expect(watch.statusCode).toBe(200)
  const lines = watch[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  api.announce('ADDED', 'default', 'db-2')
  api.announce('ADDED', 'kube', 'web-9')
  api.announce('MODIFIED', 'default', 'web-2')
  const { value } = (await lines.next()) as { value: Buffer }
  expect(JSON.parse(value.toString())).toMatchObject({ type: 'MODIFIED', object: { metadata: { name: 'web-2' } } })
  watch.destroy()
})

test('the way to the kubelet is closed, and so are paths that could be read in two ways', async () => {
  const refused = await bob.send('dev', '/api/v1/namespaces/default/pods/db-1')
  expect(JSON.parse(refused.body)).toMatchObject({ kind: 'Status', status: 'Failure', reason: 'Forbidden', code: 403 })
  const count = api.seen.length
  expect((await alice.send('dev', '/api/v1/nodes/a/proxy/run/default/web-1/main', { method: 'POST' })).body).toContain('kubectl exec')
  expect((await alice.send('dev', '/api/v1/namespaces/default%2Fpods/x')).status).toBe(400)
  expect((await alice.send('dev', '/api/v1/namespaces/default/../kube/pods')).status).toBe(400)
  expect(api.seen).toHaveLength(count)
})

test('a log is followed while it is written, and a body of any size passes', async () => {
  const log = await bob.open('dev', '/api/v1/namespaces/default/pods/web-1/log?follow=true')
  const parts = log[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  expect(String(((await parts.next()) as { value: Buffer }).value)).toBe('first line\n')
  api.log('second line')
  expect(String(((await parts.next()) as { value: Buffer }).value)).toBe('second line\n')
  log.destroy()
  const body = JSON.stringify({ filler: 'x'.repeat(12 * 1024 * 1024) })
  expect(await alice.send('dev', '/api/v1/namespaces/default/pods', { method: 'POST', body })).toEqual({ status: 201, body })
})

test('R8-044: a lock cuts what is followed, and the audit log has why', async () => {
  const carol = await KubeClient.signIn(world, 'carol')
  const log = await carol.open('dev', '/api/v1/namespaces/default/pods/web-1/log?follow=true')
  await once(log, 'data')
  const closed = new Promise((resolve) => log.on('error', () => undefined).once('close', resolve))
  const { metadata } = await world.proxy.locks.place({ target: { user: 'carol' }, message: 'enough' }, 'test')
  await closed
  await expect
    .poll(() => eventsOf('client.disconnect'))
    .toMatchObject([
      {
        code: 'T3006I',
        user: 'carol',
        kubernetes_cluster: 'dev',
        proto: 'kube',
        reason: 'lock targeting User:"carol" is in force: enough',
      },
    ])
  await world.proxy.locks.lift(metadata.name, 'test')
  await carol[Symbol.asyncDispose]()
})

test('R8-059: every request is written down with its answer, and so are clusters that are added, changed and removed', async () => {
  await bob.send('dev', '/api/v1/namespaces/default/pods/web-2')
  await bob.send('dev', '/api/v1/namespaces/default/pods/db-1')
  const requests = await eventsOf('kube.request')
  const common = {
    code: 'T3009I',
    user: 'bob',
    server_id: '',
    verb: 'GET',
    kubernetes_cluster: 'dev',
    kubernetes_users: ['dev-bob'],
    resource_kind: 'pods',
    resource_namespace: 'default',
    resource_api_group: 'v1',
    proto: 'kube',
  }
  expect(requests).toContainEqual(
    expect.objectContaining({
      ...common,
      request_path: '/api/v1/namespaces/default/pods/web-2',
      resource_name: 'web-2',
      response_code: 200,
    }),
  )
  expect(requests).toContainEqual(
    expect.objectContaining({ ...common, request_path: '/api/v1/namespaces/default/pods/db-1', resource_name: 'db-1', response_code: 403 }),
  )
  await saveDocuments(world, cluster('third', {}))
  await saveDocuments(world, cluster('third', { env: 'x' }))
  await ask(world.dataDir, adminCalls.removeResource, { kind: 'kube_cluster', name: 'third' })
  for (const [type, code] of [
    ['kube.create', 'T3010I'],
    ['kube.update', 'T3011I'],
    ['kube.delete', 'T3012I'],
  ] as const)
    expect(await eventsOf(type)).toContainEqual(expect.objectContaining({ code, name: 'third' }))
})

test('R7-057: a connection test goes through every step, in the namespace default when none is named', async () => {
  const diagnose = async (client: ApiClient, body: object) => {
    const { success, traces } = await client.call(testConnection, {
      params: { clusterId: world.cluster },
      body: { resource_kind: 'kube_cluster', resource_name: 'dev', ...body },
    })
    return [success, ...(traces ?? []).map(({ traceType, status }) => `${traceType} ${status}`)]
  }
  const steps = ['CONNECTIVITY SUCCESS', 'RBAC_PRINCIPAL SUCCESS', 'RBAC_KUBE SUCCESS']
  expect(await diagnose(console, {})).toEqual([true, ...steps, 'KUBE_PRINCIPAL SUCCESS'])
  expect(api.seen.at(-1)).toEqual({ method: 'GET', path: '/api/v1/namespaces/default/pods', user: 'admin', groups: ['system:masters'] })
  expect(await diagnose(console, { kubernetes_namespace: 'kube' })).toEqual([true, ...steps, 'KUBE_PRINCIPAL SUCCESS'])
  expect(api.seen.at(-1)?.path).toBe('/api/v1/namespaces/kube/pods')
  expect(await diagnose(console, { kubernetes_impersonation: { kubernetes_user: 'root' } })).toEqual([
    false,
    steps[0],
    'RBAC_PRINCIPAL FAILED',
  ])
  expect(await diagnose(console, { resource_name: 'nothing' })).toEqual([false, 'CONNECTIVITY FAILED'])
})

test('whether a cluster asks for a second factor is told before', async () => {
  const required = (cluster_name: string) =>
    console.call(mfaRequired, { params: { clusterId: world.cluster }, body: { kube: { cluster_name } } })
  expect(await required('dev')).toEqual({ required: false })
  await expect(required('nothing')).rejects.toMatchObject({ status: 404 })
})

test('credentials of a cluster are sealed, and shown to nobody again', async () => {
  const { documents } = await ask(world.dataDir, adminCalls.readResources, { kind: 'kube_cluster', name: 'dev', withSecrets: true })
  const [{ content } = { content: '' }] = documents
  expect(content).toContain('sealed:')
  expect(content).not.toContain('service-account-token')
  // What was exported can be saved again.
  await ask(world.dataDir, adminCalls.saveResources, { parts: [content], force: true })
  expect((await bob.send('dev', '/version')).status).toBe(200)
})

test.skipIf(whyNoProgram('kubectl'))('kubectl itself lists, gets, follows and is refused in words', { timeout: 30_000 }, async () => {
  expect(await bob.kubectl('dev', ['get', 'pods', '-o', 'name'])).toMatchObject({ code: 0, out: 'pod/web-1\npod/web-2\n' })
  expect(await bob.kubectl('dev', ['logs', 'web-1'])).toMatchObject({ code: 0, out: expect.stringContaining('first line') })
  const refused = await bob.kubectl('dev', ['get', 'pod', 'db-1'])
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringContaining('your roles (kubernetes_resources) do not allow get on pods "db-1"'),
  })
})

test.skipIf(whyNoProgram('kubectl'))(
  'sallyport kube writes what kubectl needs, and hands it a certificate with each start',
  { timeout: 60_000 },
  async () => {
    const home = await mkdtemp(join(tmpdir(), 'sallyport-home-'))
    opened.defer(() => rm(home, { recursive: true, force: true }))
    const kubeconfig = join(home, 'kubeconfig')
    const env = { ...process.env, HOME: home, SALLYPORT_HOME: home, KUBECONFIG: kubeconfig }
    const run = async (program: string, args: readonly string[], input = '') => {
      const child = spawn(program, args, { env })
      child.stdin.end(input)
      const closed = once(child, 'close')
      const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
      return { code: ((await closed) as unknown[])[0], out, err }
    }
    const sallyport = (args: readonly string[], input?: string) =>
      run(process.execPath, [join(import.meta.dirname, '../../cli/src/main.ts'), ...args], input)
    const { password, authenticator } = world.person('carol')
    const login = ['login', '--proxy', world.url, '--user', 'carol']
    expect(await sallyport(login, `${password}\n${await authenticator.code()}\n`)).toMatchObject({ code: 0 })
    expect(await sallyport(['kube', 'ls'])).toMatchObject({ code: 0, out: 'dev  users dev-carol  groups developers,viewers  env=dev\n' })
    expect(await sallyport(['kube', 'login', 'prod'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('no Kubernetes cluster prod'),
    })
    expect(await sallyport(['kube', 'login', 'dev'])).toMatchObject({ code: 0, err: '' })
    expect(await run('kubectl', ['get', 'pods', '-o', 'name'])).toMatchObject({ code: 0, out: 'pod/web-1\npod/web-2\n' })
    expect(await readFile(kubeconfig, 'utf8')).not.toContain('client-key-data')
    expect(await sallyport(['logout'])).toMatchObject({ code: 0 })
    expect(await run('kubectl', ['get', 'pods'])).toMatchObject({ code: 1, err: expect.stringContaining('Nobody is signed in') })
  },
)

test('R8-043: the certificate of somebody who is no more opens nothing, and that is written down', async () => {
  const carol = opened.use(await KubeClient.signIn(world, 'carol'))
  await ask(world.dataDir, adminCalls.removeResource, { kind: 'user', name: 'carol' })
  expect((await carol.send('dev', '/version')).status).toBe(403)
  expect(await eventsOf('auth')).toMatchObject([
    { code: 'T3007W', user: 'carol', success: false, error: 'there is no user carol any more', proto: 'kube' },
  ])
})

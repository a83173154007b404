/** Commands in pods through the proxy: recorded, joined, ended, and never past the recording. */
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { searchEvents, searchSessions } from '@sallyport/wire/calls/events.ts'
import { recordingLength } from '@sallyport/wire/calls/playback.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { KubeClient, saveDocuments } from './kube-client.ts'
import { startKubeApi } from './targets/kube-api.ts'
import type { KubeApi } from './targets/kube-api.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let api: KubeApi
let console: ApiClient
let alice: KubeClient
const opened = new AsyncDisposableStack()

const role = (name: string, spec: object) => ({ kind: 'role', version: 'v7', metadata: { name }, spec })
const user = (name: string, roles: string[]) => ({ kind: 'user', version: 'v2', metadata: { name }, spec: { roles, traits: {} } })
const everything = {
  kubernetes_labels: { '*': '*' },
  kubernetes_groups: ['developers'],
  kubernetes_resources: [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }],
}

beforeAll(async () => {
  world = opened.use(await createWorld({ people: ['alice', 'bob'] }))
  api = opened.use(await startKubeApi())
  await saveDocuments(
    world,
    role('kube', { allow: everything, options: { port_forwarding: true } }),
    role('reader', {
      allow: { ...everything, kubernetes_resources: [{ kind: 'pod', namespace: '*', name: '*', verbs: ['get', 'list'] }] },
      options: { port_forwarding: false },
    }),
    user('alice', ['editor', 'auditor', 'kube']),
    user('bob', ['reader']),
    { kind: 'kube_cluster', version: 'v3', metadata: { name: 'dev', labels: { env: 'dev' } }, spec: { kubeconfig: api.kubeconfig } },
  )
  console = await world.signIn('alice')
  alice = opened.use(await KubeClient.signIn(world, 'alice'))
})
afterAll(() => opened.disposeAsync())

const params = () => ({ clusterId: world.cluster })
const range = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date(Date.now() + 3_600_000).toISOString(),
  limit: '500',
})
const eventsOf = async (include: string) => (await console.call(searchEvents, { params: params(), query: { ...range(), include } })).events
const running = async () => (await console.call(activeSessions, { params: params() })).sessions
const terminal = { command: 'sh', stdin: 'true', stdout: 'true', tty: 'true' }
const plain = (...command: string[]) => ({ command, stdin: 'true', stdout: 'true', stderr: 'true' })

test('a terminal in a pod is a session of the kind k8s that others join, and is recorded', async () => {
  const streams = await alice.exec('dev', 'default/web-1', { ...terminal, container: 'main' }).opened()
  streams.resize(100, 30)
  await expect.poll(() => streams.output).toContain('pod$ ')
  streams.type('echo size $(stty size)\n')
  await expect.poll(() => streams.output).toContain('size 30 100')
  const [session] = await running()
  expect(session).toMatchObject({ kind: 'k8s', kubernetes_cluster_name: 'dev', login: 'alice', parties: [{ user: 'alice' }] })
  const sid = session?.id ?? ''

  await using guest = await TerminalClient.open(console, { cluster: world.cluster, sid, mode: 'peer' })
  await expect.poll(() => guest.output).toContain('size 30 100')
  streams.type('echo from kubectl\n')
  await expect.poll(() => guest.output).toContain('from kubectl\r\n')
  streams.type('exit 3\n')
  expect(JSON.parse(await streams.ended)).toMatchObject({
    status: 'Failure',
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: '3' }] },
  })

  const facts = {
    sid,
    user: 'alice',
    proto: 'kube',
    kubernetes_cluster: 'dev',
    kubernetes_pod_namespace: 'default',
    kubernetes_pod_name: 'web-1',
    kubernetes_container_name: 'main',
    kubernetes_groups: ['developers'],
  }
  await expect.poll(() => eventsOf('session.end')).toContainEqual(expect.objectContaining({ ...facts, code: 'T2004I', interactive: true }))
  expect(await eventsOf('session.start')).toContainEqual(expect.objectContaining({ ...facts, code: 'T2000I' }))
  const { events } = await console.call(searchSessions, { params: params(), query: range() })
  expect(events).toContainEqual(expect.objectContaining({ ...facts, session_recording: 'node-sync' }))
  await expect
    .poll(async () => (await console.fetch(`/v1/webapi/sites/${world.cluster}/sessions/${sid}/stream?offset=0`)).text())
    .toContain('from kubectl')
  expect(await console.call(recordingLength, { params: { ...params(), sid } })).toMatchObject({ recordingType: 'k8s' })
})

test('a command without a terminal passes through, its errors apart, and ends with its own status', async () => {
  const cat = await alice.exec('dev', 'default/web-1', plain('sh', '-c', 'cat; echo oops >&2; exit 7')).opened()
  cat.type('some input\n')
  await expect.poll(() => cat.output).toBe('some input\n')
  cat.endInput()
  expect(JSON.parse(await cat.ended)).toMatchObject({ details: { causes: [{ message: '7' }] } })
  expect(cat.of(2)).toBe('oops\n')
  await expect
    .poll(() => eventsOf('exec'))
    .toContainEqual(
      expect.objectContaining({
        code: 'T3002E',
        user: 'alice',
        proto: 'kube',
        kubernetes_cluster: 'dev',
        kubernetes_pod_name: 'web-1',
        exitCode: '7',
      }),
    )
  const large = await alice
    .exec('dev', 'default/web-1', { command: ['sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" x'], stdout: 'true' })
    .opened()
  expect(JSON.parse(await large.ended)).toMatchObject({ status: 'Success' })
  expect(large.output).toHaveLength(3_000_000)
})

test('a browser is told in a frame of its own why there is no terminal', async () => {
  const pod = { kubeCluster: 'dev', namespace: 'default', pod: 'nobody' }
  await using refused = await TerminalClient.open(console, { cluster: world.cluster, pod })
  expect(await refused.frame('e')).toBe('pods "nobody" not found')
  await refused.closed()
  expect(refused.output).toBe('')
})

test('what the cluster refuses is told in its own words', async () => {
  const streams = alice.exec('dev', 'default/nothing', terminal)
  expect(JSON.parse(await streams.ended)).toMatchObject({ status: 'Failure', code: 404, message: 'pods "nothing" not found' })
})

test('roles without the verb exec, old protocols, and other changes of protocol get in nowhere', async () => {
  await using bob = await KubeClient.signIn(world, 'bob')
  const count = api.seen.length
  const upgrade = (client: KubeClient, path: string, protocol: string, method = 'POST') =>
    client.send('dev', path, { method, headers: { connection: 'Upgrade', upgrade: protocol } })
  const pod = '/api/v1/namespaces/default/pods/web-1'
  expect(await upgrade(bob, `${pod}/exec?command=sh&stdout=true`, 'websocket', 'GET')).toMatchObject({
    status: 403,
    body: expect.stringContaining('do not allow exec'),
  })
  expect(await upgrade(alice, `${pod}/exec?command=sh&stdout=true`, 'SPDY/3.1')).toMatchObject({
    status: 400,
    body: expect.stringContaining('KUBECTL_REMOTE_COMMAND_WEBSOCKETS'),
  })
  expect(await upgrade(alice, `${pod}/log`, 'websocket', 'GET')).toMatchObject({ status: 403 })
  expect(await upgrade(bob, `${pod}/portforward`, 'SPDY/3.1')).toMatchObject({ status: 403 })
  expect(api.seen).toHaveLength(count)
})

test('a lock ends what runs within a moment, and says so', async () => {
  const streams = await alice.exec('dev', 'default/web-2', terminal).opened()
  await expect.poll(() => streams.output).toContain('pod$ ')
  await saveDocuments(world, {
    kind: 'lock',
    version: 'v2',
    metadata: { name: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' },
    spec: { target: { role: 'kube' }, message: 'for the test' },
  })
  await streams.ended
  expect(streams.output).toContain('lock targeting Role:"kube" is in force: for the test')
  expect(await alice.send('dev', '/version')).toMatchObject({ status: 403, body: expect.stringContaining('for the test') })
  await ask(world.dataDir, adminCalls.removeResource, { kind: 'lock', name: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' })
  await expect.poll(async () => (await alice.send('dev', '/version')).status).toBe(200)
})

test('sessions that ask for a key are refused without one, with what to do', async () => {
  await saveDocuments(world, role('kube', { allow: everything, options: { require_session_mfa: true } }))
  await expect.poll(async () => (await alice.send('dev', '/version')).body).toContain('sallyport kube login --headless dev')
  await saveDocuments(world, role('kube', { allow: everything, options: { port_forwarding: true } }))
  await expect.poll(async () => (await alice.send('dev', '/version')).status).toBe(200)
})

test.skipIf(whyNoProgram('kubectl'))(
  'kubectl runs commands, and a command that fails ends with its status',
  { timeout: 30_000 },
  async () => {
    expect(await alice.kubectl('dev', ['exec', '-i', 'web-1', '--', 'sh', '-c', 'cat; echo err >&2'], 'through kubectl')).toEqual({
      code: 0,
      out: 'through kubectl',
      err: 'err\n',
    })
    expect(await alice.kubectl('dev', ['exec', 'web-1', '--', 'sh', '-c', 'exit 5'])).toMatchObject({
      code: 5,
      err: expect.stringContaining('exit code 5'),
    })
    expect(await alice.kubectl('dev', ['exec', 'nothing', '--', 'true'])).toMatchObject({
      code: 1,
      err: expect.stringContaining('pods "nothing" not found'),
    })
  },
)

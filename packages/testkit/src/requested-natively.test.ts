/** Access that was asked for, on the command line: `sallyport login --request-id`, and what OpenSSH and kubectl do with it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import * as requests from '@sallyport/wire/calls/access-requests.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiClient } from './api-client.ts'
import { KubeClient, saveDocuments } from './kube-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { startKubeApi } from './targets/kube-api.ts'
import { whyNoProgram } from './targets/programs.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

const command = join(import.meta.dirname, '../../cli/src/main.ts')
const opened = new AsyncDisposableStack()
let world: World
let home: string
let alice: ApiClient
let carol: ApiClient
let dan: ApiClient
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'sallyport-home-'))
  opened.defer(() => rm(home, { recursive: true, force: true }))
  world = opened.use(await createWorld({ people: ['alice', 'carol', 'dan'], settings: { secondFactor: 'off' } }))
  const { kubeconfig } = opened.use(await startKubeApi())
  const cluster = (name: string) => ({ kind: 'kube_cluster', version: 'v3', metadata: { name, labels: {} }, spec: { kubeconfig } })
  await saveDocuments(world, cluster('dev'), cluster('prod'))
  alice = await signedIn('alice')
  const everything = {
    logins: [ownLogin],
    node_labels: { '*': '*' },
    kubernetes_labels: { '*': '*' },
    kubernetes_groups: ['developers'],
    kubernetes_resources: [{ kind: '*', namespace: '*', name: '*', verbs: ['*'] }],
  }
  await saveRole('everything', { allow: everything })
  await saveRole('asks', {
    options: { request_access: 'reason', request_prompt: 'Which ticket?' },
    allow: { request: { roles: ['everything'], search_as_roles: ['everything'] } },
  })
  await saveRole('decides', { allow: { review_requests: { roles: ['everything'] } } })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['asks'] } })
  await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'decides'] } })
  carol = await signedIn('carol')
  dan = await signedIn('dan')
})
afterAll(() => opened.disposeAsync())

async function signedIn(name: Name): Promise<ApiClient> {
  const client = new ApiClient(world.url)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
  return client
}
const saveRole = (name: string, spec: object) =>
  alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v7', metadata: { name }, spec }) } })
const asked = async (): Promise<string> => {
  const resourceIds = [
    { kind: 'node', name: world.agentId, clusterName: world.cluster },
    { kind: 'kube_cluster', name: 'dev', clusterName: world.cluster },
  ] as const
  return (await dan.call(requests.create, { body: { resourceIds: [...resourceIds], reason: 'ticket 5' } })).id
}
const decide = (requestId: string, state: 'APPROVED' | 'DENIED') =>
  carol.call(requests.review, { params: { requestId }, body: { state, reason: '', roles: [] } })
async function approved(): Promise<string> {
  const id = await asked()
  await decide(id, 'APPROVED')
  return id
}
async function run(args: readonly string[], input = ''): Promise<{ code: unknown; out: string; err: string }> {
  const child = spawn(process.execPath, [command, ...args], { env: { ...process.env, SALLYPORT_HOME: home } })
  child.stdin.end(input)
  const closed = once(child, 'close')
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: ((await closed) as unknown[])[0], out, err }
}
const login = (...more: string[]) => run(['login', '--proxy', world.url, '--user', 'dan', ...more], `${passwordOf('dan')}\n`)
async function eventsOf(code: string) {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
  return events.filter((event) => event.code === code && event.user === 'dan')
}
const pods = '/api/v1/namespaces/default/pods'

describe.skipIf(whyNoProgram('ssh'))('sallyport login', () => {
  test('who has to ask first is told where; with the request the certificate reaches one server alone, and its sessions name it', async () => {
    const plain = await login()
    expect(plain).toMatchObject({ code: 0, out: expect.stringContaining('Which ticket?') })
    expect(plain.out).toContain(`${world.url}/web/requests/new`)
    expect((await run(['ls'])).out).not.toContain(agentHostname)

    const id = await approved()
    const done = await login('--request-id', id)
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining(`Requests assumed: ${id}`) })
    expect(done.out).not.toContain('Which ticket?')
    expect((await eventsOf('TC000I'))[0]).toMatchObject({ access_requests: [id], identity: { access_requests: [id] } })
    const { out } = await run(['ls'])
    expect(out).toContain(agentHostname)
    expect(out).not.toContain(sshdHostname)
    expect(await run(['ssh', `${ownLogin}@${agentHostname}`, 'echo $((6 * 7))'])).toMatchObject({ code: 0, out: '42\n' })
    expect(await run(['ssh', `${ownLogin}@${sshdHostname}`, 'true'])).toMatchObject({ code: 255 })
    expect((await eventsOf('T3002I'))[0]).toMatchObject({ access_requests: [id] })

    await world.proxy.locks.place({ target: { access_request: id }, message: 'over' }, 'alice')
    expect(await run(['ssh', `${ownLogin}@${agentHostname}`, 'true'])).toMatchObject({ code: 255 })
    await login()
    expect((await run(['ls'])).out).not.toContain(agentHostname)
  })

  test('a request that is nobody else’s, is decided and is not denied: anything else brings no certificate', async () => {
    const waiting = await asked()
    const denied = await asked()
    await decide(denied, 'DENIED')
    expect((await login('--request-id', waiting)).err).toContain('is awaiting approval')
    expect((await login('--request-id', denied)).err).toContain('has been denied')
    expect((await login('--request-id', 'no-such-request')).err).toContain('is not found')
    const two = `${await approved()},${await approved()}`
    expect((await login('--request-id', two)).err).toContain('a request for resources already')
    const carols = ['login', '--proxy', world.url, '--user', 'carol', '--request-id', waiting]
    expect((await run(carols, `${passwordOf('carol')}\n`)).err).toContain('is not found')
  })
})

test('kubectl reaches the cluster that was asked for and no other; a deleted request ends nothing, a lock does', async () => {
  const id = await approved()
  await using client = await KubeClient.signIn(world, 'dan', [id])
  expect((await client.send('dev', pods)).status).toBe(200)
  expect((await client.send('prod', pods)).status).toBe(404)
  expect(
    (await eventsOf('T3009I')).filter(({ kubernetes_cluster, response_code }) => kubernetes_cluster === 'dev' && response_code === 200),
  ).toContainEqual(expect.objectContaining({ access_requests: [id], request_path: pods }))
  await alice.call(requests.remove, { params: { requestId: id } })
  expect((await client.send('dev', pods)).status).toBe(200)
  await world.proxy.locks.place({ target: { access_request: id }, message: 'over' }, 'alice')
  expect((await client.send('dev', pods)).status).toBe(403)
  await using plain = await KubeClient.signIn(world, 'dan')
  expect((await plain.send('dev', pods)).status).toBe(404)
})

/** A root and a leaf, two proxies that know nothing of each other but the trust: what people of the root do at the leaf. */
import { allCalls } from '@sallyport/wire/calls/all.ts'
import { clusterInfo, clusters, userContext } from '@sallyport/wire/calls/clusters.ts'
import * as events from '@sallyport/wire/calls/events.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { signOut } from '@sallyport/wire/calls/session.ts'
import * as sessions from '@sallyport/wire/calls/sessions.ts'
import * as trusted from '@sallyport/wire/calls/trusted-clusters.ts'
import { decodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { downloadFile } from './transfer-client.ts'
import { isListed, joinToken, trust, trustDocument } from './trust.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const opened = new AsyncDisposableStack()
let root: World
let leaf: World
let alice: ApiClient
let bob: ApiClient
let dan: ApiClient
let leafAdmin: ApiClient
beforeAll(async () => {
  root = opened.use(await createWorld({ people: ['alice', 'bob', 'dan'], settings: { clusterName: 'root' } }))
  leaf = opened.use(await createWorld({ people: ['alice'], settings: { clusterName: 'leaf' } }))
  alice = await root.signIn('alice')
  bob = await root.signIn('bob')
  dan = await root.signIn('dan')
  leafAdmin = await leaf.signIn('alice')
})
afterAll(() => opened.disposeAsync())

const atLeaf = { params: { clusterId: 'leaf' } }
const everything = { from: new Date(0).toISOString(), to: new Date(Date.now() + 3_600_000).toISOString(), limit: '5000' }
const shell = (client: ApiClient, serverId = leaf.agentId): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: 'leaf', serverId, login: ownLogin })
const eventsOf = async (client: ApiClient, code: string, clusterId = 'leaf') =>
  (await client.call(events.searchEvents, { params: { clusterId }, query: everything })).events.filter((event) => event.code === code)
const stored = async () => {
  const [only] = await leafAdmin.call(trusted.list)
  return only
}
const change = async (edit: (spec: Record<string, unknown>) => void): Promise<void> => {
  const document = parse((await stored())?.content ?? '') as { spec: Record<string, unknown> }
  edit(document.spec)
  await leafAdmin.call(trusted.update, { params: { name: 'root' }, body: { content: stringify(document) } })
}

test('R7-099: a token that the root does not know is refused with 403, and nothing is trusted', async () => {
  for (const token of ['no-such-token', await joinNodeToken()])
    await expect(
      leafAdmin.call(trusted.create, { body: { content: trustDocument({ name: 'root', url: root.url }, token) } }),
    ).rejects.toMatchObject({ status: 403, message: 'access denied: the cluster token has been rejected' })
  const bare = await fetch(`${root.url}/v1/webapi/trustedclusters/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token: 'no-such-token', certificate_authorities: [] }),
  })
  expect({ status: bare.status, body: await bare.json() }).toEqual({
    status: 403,
    body: { error: { message: 'access denied: the cluster token has been rejected' } },
  })
  expect(await leafAdmin.call(trusted.list)).toEqual([])
  expect(await alice.call(clusters)).toHaveLength(1)
})
const joinNodeToken = async (): Promise<string> => {
  const answer = await alice.fetch('/v1/webapi/token', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ roles: ['Node'] }),
  })
  return ((await answer.json()) as { id: string }).id
}

test('R7-098, R7-099, R1-001, R8-058: a leaf joins with a token of its root; both list what they know, and the token is told to nobody', async () => {
  const token = await joinToken(alice)
  expect(await eventsOf(alice, 'T7002I', 'root')).toMatchObject([{ event: 'trusted_cluster_token.create', user: 'alice' }])
  // The name of the document gives way to that of the cluster that answers.
  const content = trustDocument({ name: 'headquarters', url: root.url }, token)
  const created = await leafAdmin.call(trusted.create, { body: { content } })
  expect(created).toMatchObject({ id: 'trusted_cluster:root', kind: 'trusted_cluster', name: 'root' })
  expect(created.content).not.toContain(token)
  expect(await leafAdmin.call(trusted.list)).toEqual([created])
  await isListed(alice, 'leaf', 'online')
  await expect.poll(async () => (await leafAdmin.call(trusted.states))[0]?.status).toBe('connected')
  expect(await alice.call(clusters)).toMatchObject([
    { name: 'root', status: 'online' },
    { name: 'leaf', status: 'online' },
  ])
  await expect.poll(async () => (await alice.call(clusters))[1]?.nodeCount).toBe(leaf.sshd ? 2 : 1)
  expect(await alice.call(clusterInfo, atLeaf)).toMatchObject({
    name: 'leaf',
    publicURL: new URL(leaf.url).host,
    nodeCount: leaf.sshd ? 2 : 1,
  })
  // What a root trusts is another thing.
  expect(await alice.call(trusted.list)).toEqual([])
  expect(await eventsOf(leafAdmin, 'T7000I')).toMatchObject([{ event: 'trusted_cluster.create', user: 'alice', name: 'root' }])
  await expect(leafAdmin.call(trusted.create, { body: { content } })).rejects.toMatchObject({ status: 409 })
})

test('R1-015: alice of the root opens a shell on a machine of the leaf; the leaf knows her as alice-root, in its log, its lists and its recordings', async () => {
  const { items } = await alice.call(nodes, atLeaf)
  expect(items.map(({ siteId, hostname }) => [siteId, hostname])).toContainEqual(['leaf', 'this-machine'])
  expect(await alice.call(mfaRequired, { ...atLeaf, body: { node: { node_name: leaf.agentId, login: ownLogin } } })).toEqual({
    required: false,
  })
  for (const serverId of [leaf.agentId, ...(leaf.sshd ? [leaf.sshd.id] : [])]) {
    await using terminal = await shell(alice, serverId)
    const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string; cluster_name: string } }
    expect(session.cluster_name).toBe('leaf')
    terminal.type('echo $((6000 + 77))\n')
    await terminal.see('6077')
    const running = (await alice.call(sessions.activeSessions, atLeaf)).sessions
    expect(running).toMatchObject([{ id: session.id, login: ownLogin, parties: [{ user: 'alice-root' }] }])
    expect((await alice.call(sessions.activeSessions, { params: { clusterId: 'root' } })).sessions).toEqual([])
    terminal.type('exit\n')
    await terminal.frame('c')
    // Its recording is complete when that is announced, after its end.
    await expect.poll(async () => (await eventsOf(leafAdmin, 'T2005I')).map(({ sid }) => sid)).toContain(session.id)
    expect((await eventsOf(leafAdmin, 'T2004I')).map(({ sid }) => sid)).toContain(session.id)
    expect((await eventsOf(leafAdmin, 'T2000I')).find(({ sid }) => sid === session.id)).toMatchObject({
      user: 'alice-root',
      cluster_name: 'leaf',
    })
    // The leaf's log, recordings and bytes are read from the root as well.
    expect((await eventsOf(alice, 'T2000I')).map(({ sid }) => sid)).toContain(session.id)
    const recorded = await alice.fetch(`/v1/webapi/sites/leaf/sessions/${session.id}/stream`)
    expect(recorded.status).toBe(200)
    expect(await recorded.text()).toContain('6077')
  }
  expect(await eventsOf(alice, 'T2000I', 'root')).toEqual([])
})

test('a file of a machine of the leaf is fetched through the root, and a refusal of the leaf comes as it is', async () => {
  const place = { cluster: 'leaf', serverId: leaf.agentId, login: ownLogin }
  const got = await downloadFile(alice, place, { location: '/etc/hostname' })
  expect(got).toMatchObject({ status: 200 })
  expect(got.body.length).toBeGreaterThan(0)
  expect(await downloadFile(alice, { ...place, login: 'nobody-here' }, { location: '/etc/hostname' })).toMatchObject({ status: 403 })
})

test('a screen that is not looked at for a while loses nothing of what the shell at the leaf says, and keeps nobody else waiting', async () => {
  await using terminal = await shell(alice)
  await terminal.frame('s')
  terminal.socket.pause()
  const amount = 32 * 1024 * 1024
  terminal.type(`head -c ${amount} /dev/zero | tr '\\0' x; echo; echo do""ne\n`)
  await using other = await shell(alice)
  for (const turn of [1, 2, 3, 4, 5]) {
    other.type(`echo turn$((${turn} + 1)).\n`)
    await other.see(`turn${turn + 1}.`)
  }
  terminal.socket.removeAllListeners('message')
  let bytes = 0
  let end = ''
  terminal.socket.on('message', (data: Buffer) => {
    const { type, payload } = decodeFrame(data)
    if (type !== frameTypes.raw) return
    bytes += payload.length
    end = (end + Buffer.from(payload).toString('latin1')).slice(-200)
  })
  terminal.socket.resume()
  await expect.poll(() => end).toContain('done')
  expect(bytes).toBeGreaterThan(amount)
})

test('R7-063: the context is told by the root for itself; of a leaf it answers 400', async () => {
  expect(await alice.call(userContext, { params: { clusterId: 'root' } })).toMatchObject({ cluster: { name: 'root' }, userName: 'alice' })
  await expect(alice.call(userContext, atLeaf)).rejects.toMatchObject({
    status: 400,
    message: 'endpoint only implemented for root cluster',
  })
  await expect(alice.call(userContext, { params: { clusterId: 'nowhere' } })).rejects.toMatchObject({ status: 404 })
})

const ofSite = allCalls.filter(({ path, streamed, allow }) => path.includes('/sites/{clusterId}/') && !streamed && allow !== 'public')
test('every call of a cluster that nobody knows answers 404, or what is wrong with its input before that', async () => {
  expect(ofSite.length).toBeGreaterThan(20)
  for (const { method, path, hasBody } of ofSite) {
    const at = path.replace('{clusterId}', 'nowhere').replaceAll(/\{\w+\}/g, 'x')
    const answer = await alice.fetch(at, { method, headers: { 'content-type': 'application/json' }, ...(hasBody && { body: '{}' }) })
    expect([400, 404], `${method} ${at}`).toContain(answer.status)
    if (answer.status === 404) expect(await answer.text(), at).toContain('cluster \\"nowhere\\" is not found')
  }
})

test('who has no role there is refused by the leaf at every call; who may not enter it learns so from the root', async () => {
  for (const { method, path, hasBody, id } of ofSite.filter((call) => call.id !== userContext.id)) {
    const at = path.replace('{clusterId}', 'leaf').replaceAll(/\{\w+\}/g, 'x')
    const answer = await dan.fetch(at, { method, headers: { 'content-type': 'application/json' }, ...(hasBody && { body: '{}' }) })
    expect(answer.status, id).toBe(403)
    expect(await answer.text(), id).toContain('none of your roles is mapped')
  }
  await expect(shell(dan)).rejects.toThrow('403')
})

test('the leaf decides by its own roles: what the mapping does not give, its people have not', async () => {
  await change(
    (spec) =>
      (spec['role_map'] = [
        { remote: 'acc*', local: ['auditor'] },
        { remote: '^(ed)itor$', local: ['$1itor', 'access'] },
      ]),
  )
  // bob may see what happened there, but reaches no machine.
  expect((await bob.call(nodes, atLeaf)).items).toEqual([])
  expect((await eventsOf(bob, 'T2000I')).length).toBeGreaterThan(0)
  await expect(shell(bob)).rejects.toThrow('404')
  expect((await alice.call(nodes, atLeaf)).items.length).toBeGreaterThan(0)
  await expect(change((spec) => (spec['role_map'] = [{ remote: 'access', local: ['no-such-role'] }]))).rejects.toMatchObject({
    status: 400,
  })
  await expect(change((spec) => (spec['web_proxy_addr'] = 'elsewhere:443'))).rejects.toMatchObject({ status: 400 })
  await expect(change(() => {})).rejects.toMatchObject({ status: 400, message: expect.stringContaining('nothing was changed') })
  await change((spec) => (spec['role_map'] = [{ remote: '*', local: ['access', 'editor', 'auditor'] }]))
  await expect.poll(async () => (await bob.call(nodes, atLeaf)).items.length).toBeGreaterThan(0)
})

test('a lock of the leaf on somebody of the root closes their terminal with its reason and keeps them out', async () => {
  await using terminal = await shell(bob)
  await terminal.frame('s')
  const lock = await leafAdmin.call(locks.put, { ...atLeaf, body: { targets: { user: 'bob-root' }, message: 'out', ttl: '' } })
  await terminal.see('lock targeting User:"bob-root" is in force: out')
  await terminal.closed()
  await expect(bob.call(nodes, atLeaf)).rejects.toMatchObject({ status: 403, message: 'lock targeting User:"bob-root" is in force: out' })
  await leafAdmin.call(locks.remove, { params: { clusterId: 'leaf', uuid: lock.name } })
  expect((await bob.call(nodes, atLeaf)).items.length).toBeGreaterThan(0)
})

test('the end of a sign-in at the root ends the shell at the leaf at once, and nobody comes back to it', async () => {
  await using terminal = await shell(bob)
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
  await bob.call(signOut)
  await terminal.closed()
  await expect.poll(async () => (await eventsOf(leafAdmin, 'T2004I')).map(({ sid }) => sid)).toContain(session.id)
})

test('R7-100, R7-101, R8-058: what runs through the trust ends when it is disabled or removed; enabled, the leaf is back', async () => {
  await using terminal = await shell(alice)
  await terminal.frame('s')
  await change((spec) => (spec['enabled'] = false))
  await terminal.closed()
  await isListed(alice, 'leaf', 'offline')
  await expect(alice.call(nodes, atLeaf)).rejects.toMatchObject({ status: 504 })
  expect(await leafAdmin.call(trusted.states)).toMatchObject([{ name: 'root', status: 'disabled' }])
  await expect.poll(async () => (await leafAdmin.call(sessions.activeSessions, atLeaf)).sessions).toEqual([])
  await change((spec) => (spec['enabled'] = true))
  await isListed(alice, 'leaf', 'online')
  await using again = await shell(alice)
  await again.frame('s')
  await leafAdmin.call(trusted.remove, { params: { name: 'root' } })
  await again.closed()
  expect(await leafAdmin.call(trusted.list)).toEqual([])
  await isListed(alice, 'leaf', 'offline')
  expect(await eventsOf(leafAdmin, 'T7001I')).toMatchObject([{ event: 'trusted_cluster.delete', user: 'alice', name: 'root' }])
})

test('the root takes a leaf off its list: the connection ends, the cluster is unknown, and its key lets it in no more', async () => {
  await trust(root, leaf, { root: alice, leaf: leafAdmin })
  await using terminal = await shell(alice)
  await terminal.frame('s')
  await alice.call(trusted.removeLeaf, { params: { clusterName: 'leaf' } })
  await terminal.closed()
  expect(await alice.call(clusters)).toHaveLength(1)
  await expect(alice.call(nodes, atLeaf)).rejects.toMatchObject({ status: 404, message: 'cluster "leaf" is not found' })
  await expect.poll(async () => (await leafAdmin.call(trusted.states))[0]?.error).toContain('is not known to "root"')
})

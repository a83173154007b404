/** A root or a leaf that is killed or restarted: what is listed, what is refused meanwhile, and what goes on by itself. */
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import * as sessions from '@sallyport/wire/calls/sessions.ts'
import * as trusted from '@sallyport/wire/calls/trusted-clusters.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { startProxyProcess } from './proxy-process.ts'
import type { ProxyProcess } from './proxy-process.ts'
import { startProxyProcess as startCommand } from './started-proxy.ts'
import type { StartedProxy } from './started-proxy.ts'
import { TerminalClient } from './terminal-client.ts'
import { isListed, joinToken, trustDocument } from './trust.ts'

// Each of these starts processes.
vi.setConfig({ testTimeout: 120_000 })

const atLeaf = { params: { clusterId: 'leaf' } }
interface Facts {
  id: string
  resume: { token: string }
}
const factsOf = async (terminal: TerminalClient): Promise<Facts> => (JSON.parse(await terminal.frame('s')) as { session: Facts }).session
const shell = (client: ApiClient, serverId: string): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: 'leaf', serverId, login: ownLogin })
const back = (client: ApiClient, { id: sid, resume }: Facts, offset: number): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: 'leaf', sid, login: ownLogin, resume: { token: resume.token, offset } })
async function connect(root: { origin: string; client: ApiClient }, leaf: ApiClient): Promise<void> {
  const content = trustDocument({ name: 'root', url: root.origin }, await joinToken(root.client))
  await leaf.call(trusted.create, { body: { content } })
}
const connected = (leaf: ApiClient) => expect.poll(async () => (await leaf.call(trusted.states))[0]?.status).toBe('connected')

describe('killed', () => {
  const opened = new AsyncDisposableStack()
  let root: ProxyProcess
  let leaf: ProxyProcess
  beforeAll(async () => {
    root = opened.use(await startProxyProcess({ clusterName: 'root' }))
    leaf = opened.use(await startProxyProcess({ clusterName: 'leaf' }))
    await connect({ origin: root.origin, client: root.alice }, leaf.alice)
  })
  afterAll(() => opened.disposeAsync())

  test('a leaf that was killed is offline and cannot be asked; it comes back by itself, and what the root had is there', async () => {
    await isListed(root.alice, 'leaf', 'online')
    const terminal = await shell(root.alice, leaf.hostId)
    await terminal.frame('s')
    await leaf.kill()
    await terminal.closed()
    await isListed(root.alice, 'leaf', 'offline')
    await expect(root.alice.call(nodes, atLeaf)).rejects.toMatchObject({
      status: 504,
      message: expect.stringContaining('cluster "leaf" is not reachable right now'),
    })
    await leaf.startAgain()
    await isListed(root.alice, 'leaf', 'online')
    await expect.poll(async () => (await root.alice.call(nodes, atLeaf)).items.map(({ id }) => id)).toContain(leaf.hostId)
    await using again = await shell(root.alice, leaf.hostId)
    again.type('echo $((40 + 2))\n')
    await again.see('42')
  })

  test('a root that was killed is found again, and the shell at the leaf goes on where it was', async () => {
    const terminal = await shell(root.alice, leaf.hostId)
    const facts = await factsOf(terminal)
    terminal.type('kept=$((6000 + 77)); echo ready=$kept\n')
    await terminal.see('ready=6077')
    await root.kill()
    await terminal.closed()
    await expect.poll(async () => (await leaf.alice.call(trusted.states))[0]?.status).toBe('connecting')
    await root.startAgain()
    await connected(leaf.alice)
    await using again = await back(root.alice, facts, terminal.outputBytes)
    await again.frame('s')
    again.type('echo again=$kept\n')
    await again.see('again=6077')
  })
})

describe('restarted', () => {
  const opened = new AsyncDisposableStack()
  let root: StartedProxy
  let leaf: StartedProxy
  let alice: ApiClient
  let leafAdmin: ApiClient
  beforeAll(async () => {
    root = opened.use(await startCommand({ flags: { clusterName: 'root' } }))
    leaf = opened.use(await startCommand({ flags: { clusterName: 'leaf' } }))
    alice = await root.signIn('alice')
    leafAdmin = await leaf.signIn('alice')
    await connect({ origin: root.url, client: alice }, leafAdmin)
  })
  afterAll(() => opened.disposeAsync())

  test('a shell at a leaf goes on through a restart of the root and one of the leaf, and is found through the new processes', async () => {
    await isListed(alice, 'leaf', 'online')
    await using terminal = await shell(alice, leaf.hostId)
    const facts = await factsOf(terminal)
    terminal.type('kept=$((6000 + 77)); echo ready=$kept\n')
    await terminal.see('ready=6077')

    await root.restart()
    // Through the process of before until the leaf has connected to the new one, then through that.
    expect((await alice.call(nodes, atLeaf)).items.map(({ id }) => id)).toContain(leaf.hostId)
    terminal.type('echo root=$kept\n')
    await terminal.see('root=6077')

    await leaf.restart()
    await connected(leafAdmin)
    terminal.type('echo leaf=$kept\n')
    await terminal.see('leaf=6077')
    // It runs in the leaf's first process, which is asked through its second.
    await expect.poll(async () => (await alice.call(sessions.activeSessions, atLeaf)).sessions.map(({ id }) => id)).toEqual([facts.id])
    await using joined = await TerminalClient.open(alice, { cluster: 'leaf', sid: facts.id, login: ownLogin, mode: 'peer' })
    joined.type('echo joined=$kept\n')
    await terminal.see('joined=6077')
    await using fresh = await shell(alice, leaf.hostId)
    fresh.type('echo fre""sh\n')
    await fresh.see('fresh')
  })
})

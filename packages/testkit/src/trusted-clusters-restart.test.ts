/** A root or a leaf that goes away and comes back: what is listed, what is refused meanwhile, and what goes on by itself. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startLocalAgent } from '@sallyport/cli/local-agent.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import * as trusted from '@sallyport/wire/calls/trusted-clusters.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { bareHome } from './bare-home.ts'
import { ownLogin } from './people.ts'
import { ownPort } from './targets/free-port.ts'
import { TerminalClient } from './terminal-client.ts'
import { isListed, joinToken, trustDocument } from './trust.ts'
import { signedIn, signUp } from './world.ts'
import type { Person } from './world.ts'

interface Running extends AsyncDisposable {
  readonly url: string
  readonly agentId: string
}
const opened = new AsyncDisposableStack()
const started = new Map<string, Running>()
const places = new Map<string, { dataDir: string; port: number }>()

/** The same cluster again: on the port and with the data that it had. */
async function start(clusterName: 'root' | 'leaf'): Promise<Running> {
  const place = places.get(clusterName) ?? { dataDir: await mkdtemp(join(tmpdir(), `sallyport-${clusterName}-`)), port: await ownPort() }
  if (!places.has(clusterName)) opened.defer(() => rm(place.dataDir, { recursive: true, force: true }))
  places.set(clusterName, place)
  const { dataDir, port } = place
  await using starting = new AsyncDisposableStack()
  const proxy = starting.use(await startProxy(configOf({ logLevel: 'error', clusterName, listen: `127.0.0.1:${port}`, dataDir })))
  const agent = starting.use(
    await startLocalAgent(proxy, dataDir, { hostname: clusterName, labels: {}, environment: { HOME: bareHome }, log: createLog('error') }),
  )
  const disposables = starting.move()
  const running = { url: proxy.publicUrl, agentId: agent.hostId, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
  started.set(clusterName, running)
  return running
}
async function stop(clusterName: 'root' | 'leaf'): Promise<void> {
  await started.get(clusterName)?.[Symbol.asyncDispose]()
  started.delete(clusterName)
}

let leaf: Running
let root: Running
let alice: ApiClient
let leafAdmin: ApiClient
beforeAll(async () => {
  root = await start('root')
  leaf = await start('leaf')
  const people: Person[] = []
  for (const [name, { url }] of started) people.push(await signUp(url, places.get(name)?.dataDir ?? '', 'alice'))
  const [ofRoot, ofLeaf] = people
  if (!ofRoot || !ofLeaf) throw new Error('nobody signed up')
  alice = await signedIn(root.url, ofRoot)
  leafAdmin = await signedIn(leaf.url, ofLeaf)
  const content = trustDocument({ name: 'root', url: root.url }, await joinToken(alice))
  await leafAdmin.call(trusted.create, { body: { content } })
}, 60_000)
afterAll(async () => {
  await stop('leaf')
  await stop('root')
  await opened.disposeAsync()
})

const atLeaf = { params: { clusterId: 'leaf' } }
const shell = (resume?: { sid: string; token: string; offset: number }): Promise<TerminalClient> =>
  TerminalClient.open(alice, {
    cluster: 'leaf',
    login: ownLogin,
    ...(resume ? { sid: resume.sid, resume: { token: resume.token, offset: resume.offset } } : { serverId: leaf.agentId }),
  })

test('a leaf that stopped is offline and cannot be asked; it comes back by itself, and what a root had is there', async () => {
  await isListed(alice, 'leaf', 'online')
  {
    await using terminal = await shell()
    await terminal.frame('s')
    await stop('leaf')
    await terminal.closed()
  }
  await isListed(alice, 'leaf', 'offline')
  await expect(alice.call(nodes, atLeaf)).rejects.toMatchObject({
    status: 504,
    message: expect.stringContaining('cluster "leaf" is not reachable right now'),
  })
  leaf = await start('leaf')
  await isListed(alice, 'leaf', 'online')
  expect((await alice.call(nodes, atLeaf)).items.map(({ hostname }) => hostname)).toContain('leaf')
  await using terminal = await shell()
  terminal.type('echo $((40 + 2))\n')
  await terminal.see('42')
})

test('a root that was restarted is found again, and the shell at the leaf goes on where it was', async () => {
  const terminal = await shell()
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string; resume: { token: string } } }
  terminal.type('kept=$((6000 + 77)); echo ready=$kept\n')
  await terminal.see('ready=6077')
  await stop('root')
  await terminal.closed()
  await expect.poll(async () => (await leafAdmin.call(trusted.states))[0]?.status).toBe('connecting')
  root = await start('root')
  await isListed(alice, 'leaf', 'online')
  await using back = await shell({ sid: session.id, token: session.resume.token, offset: terminal.outputBytes })
  await back.frame('s')
  back.type('echo again=$kept\n')
  await back.see('again=6077')
})

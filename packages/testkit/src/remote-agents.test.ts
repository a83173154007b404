/** Hosts with an agent of their own, as processes, through the real proxy. */
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { joinHost } from './targets/agent.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice'] })
  alice = await world.signIn('alice')
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

const newToken = async (): Promise<string> => (await ask(world.dataDir, adminCalls.addToken, { roles: ['Node'], ttl: 3600 })).token
const open = (serverId: string): Promise<TerminalClient> =>
  TerminalClient.open(alice, { cluster: world.cluster, serverId, login: ownLogin })
const listed = async (hostId: string) =>
  (await alice.call(nodes, { params: { clusterId: world.cluster }, query: { limit: 100 } })).items.find(({ id }) => id === hostId)

test('R8-086: an agent joins with a token, its host is listed, and a terminal on it echoes, resizes and exits', async () => {
  await using host = await joinHost({ proxy: world.url, token: await newToken(), hostname: 'far-away', args: ['--labels', 'env=far'] })
  const agent = host.start()
  expect(await agent.logged('connected')).toMatchObject({ transport: 'upgrade' })
  await expect.poll(() => listed(host.hostId)).toMatchObject({ hostname: 'far-away', tunnel: true })
  await using terminal = await open('far-away')
  terminal.type('echo hel""lo; stty size\r')
  await terminal.see('hello')
  await terminal.see('24 80')
  terminal.resize(100, 30)
  terminal.type('stty size; exit\r')
  await terminal.see('30 100')
  await terminal.frame('c')
  await terminal.closed()
  expect(await agent.stop()).toBe(0)
})

/** Two proxies on one PostgreSQL: what happens at one is felt at the other. */
import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { startLocalAgent } from '@sallyport/cli/local-agent.ts'
import { configOf } from '@sallyport/proxy/config.ts'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { startProxy } from '@sallyport/proxy/main.ts'
import type { Proxy } from '@sallyport/proxy/main.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { signIn, signOut, userStatus } from '@sallyport/wire/calls/session.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ApiClient } from './api-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { joinHost } from './targets/agent.ts'
import { startPostgres } from './targets/postgres.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { bareHome } from './bare-home.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

describe.skipIf(whyNoProgram('initdb'))('two proxies on one database', () => {
  const opened = new AsyncDisposableStack()
  let first: World
  let second: Proxy
  let secondHost: string
  beforeAll(async () => {
    const postgres = opened.use(await startPostgres())
    const settings = { databaseUrl: await postgres.createDatabase(), secondFactor: 'off', logLevel: 'error' } as const
    first = opened.use(await createWorld({ people: ['alice', 'bob'], settings }))
    const dataDir = await mkdtemp(join(tmpdir(), 'sallyport-second-'))
    opened.defer(() => rm(dataDir, { recursive: true, force: true }))
    // Proxies of one cluster have the same keys.
    await cp(join(first.dataDir, 'keys'), join(dataDir, 'keys'), { recursive: true })
    second = opened.use(await startProxy(configOf({ ...settings, listen: '127.0.0.1:0', dataDir })))
    const agent = await startLocalAgent(second, dataDir, {
      hostname: 'second-machine',
      labels: { env: 'test' },
      environment: { HOME: bareHome },
      log: createLog('error'),
    })
    secondHost = opened.use(agent).hostId
  })
  afterAll(() => opened.disposeAsync())

  async function signedIn(name: Name, origin = first.url): Promise<ApiClient> {
    const client = new ApiClient(origin)
    await client.loadPage()
    client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
    return client
  }
  /** A terminal at the second proxy, for somebody who signed in at any. */
  async function openThere(client: ApiClient, serverId = secondHost): Promise<TerminalClient> {
    const { bearer, cookieHeader } = client
    const there = { origin: second.publicUrl, bearer, cookieHeader }
    const terminal = await TerminalClient.open(there, { cluster: first.cluster, serverId, login: ownLogin })
    await terminal.frame('s')
    return terminal
  }

  test('a lock that is placed at one closes a terminal of the other, with its reason, and refuses a sign-in there', async () => {
    const alice = await signedIn('alice')
    const bob = await signedIn('bob', second.publicUrl)
    await using terminal = await openThere(bob)
    const params = { clusterId: first.cluster }
    const { name } = await alice.call(locks.put, { params, body: { targets: { user: 'bob' }, message: 'left' } })
    await terminal.closed()
    const reason = 'lock targeting User:"bob" is in force: left'
    expect(terminal.output).toContain(`The session is closed: ${reason}`)
    expect(terminal.output).not.toContain('signed out')
    await expect(signedIn('bob', second.publicUrl)).rejects.toThrow(reason)
    await expect(bob.call(userStatus)).rejects.toThrow(reason)
    await alice.call(locks.remove, { params: { ...params, uuid: name } })
  })

  test('an OpenSSH server that is registered at one is a server of both, and gone from both', async () => {
    const id = randomUUID()
    const spec = { hostname: 'shared', addr: '127.0.0.1:1' }
    const content = JSON.stringify({ kind: 'node', sub_kind: 'openssh', version: 'v2', metadata: { name: id }, spec })
    await ask(first.dataDir, adminCalls.saveResources, { parts: [content], force: false })
    expect(first.proxy.dialer.isConnected(id)).toBe(true)
    await expect.poll(() => second.dialer.isConnected(id)).toBe(true)
    await expect.poll(() => second.inventory.node(id)).toMatchObject(spec)
    await ask(first.dataDir, adminCalls.removeResource, { kind: 'node', name: id })
    await expect.poll(() => second.dialer.isConnected(id)).toBe(false)
    await expect.poll(() => second.inventory.node(id)).toBeUndefined()
  })

  test('signing out at one closes the terminals of the other', async () => {
    const alice = await signedIn('alice')
    await using terminal = await openThere(alice)
    await alice.call(signOut)
    await terminal.closed()
    expect(terminal.output).toContain('you were signed out')
  })

  test('an agent is reached through every proxy that it connects to, and through none other', async () => {
    const alice = await signedIn('alice')
    const token = async () => (await ask(first.dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600 })).token
    await using both = await joinHost({
      proxy: first.url,
      token: await token(),
      hostname: 'at-both',
      args: ['--proxy', second.publicUrl],
    })
    both.start()
    for (const proxy of [first.proxy, second]) await expect.poll(() => proxy.inventory.node(both.hostId)?.hostname).toBe('at-both')
    // Known to the one, it is listed at the other, whether it has come there yet or not.
    await expect.poll(() => second.dialer.isConnected(both.hostId)).toBe(true)
    await using terminal = await openThere(alice, both.hostId)
    terminal.type('echo he""re\r')
    await terminal.see('here')

    await using one = await joinHost({ proxy: first.url, token: await token(), hostname: 'at-one' })
    one.start()
    await expect.poll(() => first.proxy.dialer.isConnected(one.hostId)).toBe(true)
    await expect.poll(() => second.inventory.node(one.hostId)?.hostname).toBe('at-one')
    const dialled = second.dialer.dial({ hostId: one.hostId }, AbortSignal.timeout(20_000))
    await expect(dialled).rejects.toThrow(
      'server "at-one" is connected to another proxy of this cluster and not to this one; connect through that one, or add the address of this one to "proxies" in its agent.json and restart the agent',
    )
    await using refused = await TerminalClient.open(
      { origin: second.publicUrl, bearer: alice.bearer, cookieHeader: alice.cookieHeader },
      { cluster: first.cluster, serverId: one.hostId, login: ownLogin },
    )
    await refused.see('server "at-one" is connected to another proxy')
    await refused.closed()
  })
})

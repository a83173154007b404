/** What becomes of an open session when the rights change with which it began, and what the server is told of its person. */
import { randomUUID } from 'node:crypto'
import { connectionProblem } from '@sallyport/proxy/core/errors.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let bob: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob'] })
  ;[alice, bob] = await Promise.all([world.signIn('alice'), world.signIn('bob')])
})
afterAll(() => world[Symbol.asyncDispose]())

const open = (serverId = world.agentId): Promise<TerminalClient> =>
  TerminalClient.open(bob, { cluster: world.cluster, serverId, login: ownLogin })

test('a server is told where the person connects from', async () => {
  const id = randomUUID()
  const told = Promise.withResolvers<string | undefined>()
  using _route = world.proxy.dialer.register(id, (_signal, clientAddress) => {
    told.resolve(clientAddress)
    return Promise.reject(connectionProblem('nobody is here'))
  })
  await world.proxy.inventory.heartbeat({ id, hostname: 'curious', tunnel: true })
  await using terminal = await open(id)
  await terminal.see('nobody is here')
  expect(await told.promise).toMatch(/^127\.0\.0\.1:\d+$/)
})

test('roles and logins that are taken away end no open session, and open no other', async () => {
  await using terminal = await open()
  await terminal.frame('s')
  const changes = [
    { roles: ['access'], traits: { logins: ['nobody-else'] } },
    { roles: ['auditor'], traits: { logins: [ownLogin] } },
  ]
  for (const [index, { roles, traits }] of changes.entries()) {
    await alice.call(updateUser, { body: { name: 'bob', roles, traits } })
    const refused = await open().then(
      async (other) => {
        await other.closed()
        return other.output
      },
      (error: unknown) => String(error),
    )
    expect(refused).toMatch(/access to node denied|404/)
    terminal.type(`printf 'still-%s\\n' here-${index}\r`)
    await terminal.see(`still-here-${index}`)
  }
})

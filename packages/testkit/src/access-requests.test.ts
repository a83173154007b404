/** Access that was asked for and given, on real sessions: what it opens, and how it ends. */
import * as requests from '@sallyport/wire/calls/access-requests.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { renew, signIn } from '@sallyport/wire/calls/session.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ApiClient } from './api-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let carol: ApiClient
let dan: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'carol', 'dan'], settings: { secondFactor: 'off' } })
  alice = await signedIn('alice')
  await saveRole('servers', { allow: { logins: [ownLogin], node_labels: { '*': '*' } } })
  await saveRole('asks', { allow: { request: { roles: ['servers'], search_as_roles: ['servers'] } } })
  await saveRole('decides', { allow: { review_requests: { roles: ['servers'] } } })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['asks'] } })
  await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'decides'] } })
  carol = await signedIn('carol')
  dan = await signedIn('dan')
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(() => {
  vi.restoreAllMocks()
})

async function signedIn(name: Name): Promise<ApiClient> {
  const client = new ApiClient(world.url)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
  return client
}
const saveRole = (name: string, spec: object) =>
  alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec }) } })
const open = (client: ApiClient): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })

/** dan asks, carol approves, dan's session has it. */
async function assumed(
  what: { roles: string[]; maxDuration: string } | { resourceIds: { kind: 'node'; name: string; clusterName: string }[] },
): Promise<string> {
  const { id } = await dan.call(requests.create, { body: what })
  await carol.call(requests.review, { params: { requestId: id }, body: { state: 'APPROVED', reason: '', roles: [] } })
  dan.bearer = (await dan.call(renew, { body: { requestId: id } })).token
  return id
}
const drop = async (): Promise<void> => {
  dan.bearer = (await dan.call(renew, { body: { switchback: true } })).token
}

test('a terminal opens with what was asked for, tells so in its events, and ends when a lock hits the request', async () => {
  const id = await assumed({ resourceIds: [{ kind: 'node', name: world.agentId, clusterName: world.cluster }] })
  await using terminal = await open(dan)
  await terminal.frame('s')
  await world.proxy.locks.place({ target: { access_request: id }, message: 'over' }, 'alice')
  await terminal.closed()
  expect(terminal.output).toContain(`lock targeting AccessRequest:"${id}" is in force: over`)
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { include: 'session.start' } })
  expect(events.filter(({ user }) => user === 'dan')).toMatchObject([{ access_requests: [id] }])
  await drop()
  await expect(open(dan)).rejects.toThrow(/40[34]/)
})

test('a live terminal ends within moments of the access, and one that was dropped goes on until then', async () => {
  // Shorter than the sign-in, which goes on.
  await assumed({ roles: ['servers'], maxDuration: new Date(Date.now() + 3_600_000).toISOString() })
  await using terminal = await open(dan)
  await terminal.frame('s')
  await drop()
  terminal.type('echo still $((40 + 2))\n')
  await terminal.see('still 42')
  const real = Date.now.bind(Date)
  vi.spyOn(Date, 'now').mockImplementation(() => real() + 2 * 3_600_000)
  await terminal.closed()
})

/** Access that was asked for at a root, at its leaf: roles count there as its `role_map` says, resources of it are not asked for here. */
import * as requests from '@sallyport/wire/calls/access-requests.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { renew, signIn } from '@sallyport/wire/calls/session.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { ApiClient } from './api-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { trust } from './trust.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

const opened = new AsyncDisposableStack()
let root: World
let leaf: World
let alice: ApiClient
let carol: ApiClient
let dan: ApiClient
let leafAdmin: ApiClient
beforeAll(async () => {
  const settings = { secondFactor: 'off' } as const
  root = opened.use(await createWorld({ people: ['alice', 'carol', 'dan'], settings: { ...settings, clusterName: 'root' } }))
  leaf = opened.use(await createWorld({ people: ['alice'], settings: { ...settings, clusterName: 'leaf' } }))
  alice = await signedIn(root, 'alice')
  leafAdmin = await signedIn(leaf, 'alice')
  await saveRole(alice, 'operator', {})
  await saveRole(alice, 'asks', { request: { roles: ['operator'], search_as_roles: ['operator'] } })
  await saveRole(alice, 'decides', { review_requests: { roles: ['operator'] } })
  await saveRole(leafAdmin, 'servers', { logins: [ownLogin], node_labels: { '*': '*' } })
  await saveRole(leafAdmin, 'visitor', {})
  await alice.call(updateUser, { body: { name: 'dan', roles: ['asks'] } })
  await alice.call(updateUser, { body: { name: 'carol', roles: ['auditor', 'decides'] } })
  carol = await signedIn(root, 'carol')
})
beforeEach(async () => {
  dan = await signedIn(root, 'dan')
})
afterAll(() => opened.disposeAsync())

async function signedIn({ url }: World, name: Name): Promise<ApiClient> {
  const client = new ApiClient(url)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
  return client
}
const saveRole = (client: ApiClient, name: string, allow: object) =>
  client.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec: { allow } }) } })
const listed = async () => (await dan.call(nodes, { params: { clusterId: 'leaf' } })).items.map(({ id }) => id)
const exchange = async (body: { requestId: string } | { switchback: true }): Promise<void> => {
  dan.bearer = (await dan.call(renew, { body })).token
}
async function assumed(): Promise<string> {
  const { id } = await dan.call(requests.create, { body: { roles: ['operator'] } })
  await carol.call(requests.review, { params: { requestId: id }, body: { state: 'APPROVED', reason: '', roles: [] } })
  await exchange({ requestId: id })
  return id
}
const shell = () => TerminalClient.open(dan, { cluster: 'leaf', serverId: leaf.agentId, login: ownLogin })

test('a role that was assumed at the root counts at the leaf until it is dropped', async () => {
  const role_map = [
    { remote: 'asks', local: ['visitor'] },
    { remote: 'operator', local: ['servers'] },
  ]
  await trust(root, leaf, { root: alice, leaf: leafAdmin }, { role_map })
  expect(await listed()).toEqual([])
  await assumed()
  expect(await listed()).toContain(leaf.agentId)
  await using terminal = await shell()
  await terminal.frame('s')
  terminal.type('echo at the $((40 + 2))\n')
  await terminal.see('at the 42')
  const { events } = await leafAdmin.call(searchEvents, { params: { clusterId: 'leaf' }, query: { include: 'session.start' } })
  expect(events[0]).toMatchObject({ user: 'dan-root' })
  await exchange({ switchback: true })
  expect(await listed()).toEqual([])
  await expect(shell()).rejects.toThrow(/40[34]/)
})

test('a lock on the request at the root ends what it opened at the leaf, and the sign-in goes on', async () => {
  const id = await assumed()
  await using terminal = await shell()
  await terminal.frame('s')
  const lock = await root.proxy.locks.place({ target: { access_request: id }, message: 'over' }, 'alice')
  await terminal.closed()
  await expect(listed()).rejects.toMatchObject({ status: 403 })
  await root.proxy.locks.lift(lock.metadata.name, 'alice')
  expect(await listed()).toContain(leaf.agentId)
  await using _again = await shell()
})

test('a server of the leaf is not asked for at the root: the refusal says what is possible', async () => {
  const resourceIds = [{ kind: 'node' as const, name: leaf.agentId, clusterName: 'leaf' }]
  await expect(dan.call(requests.create, { body: { resourceIds } })).rejects.toMatchObject({
    status: 400,
    message: 'resources of cluster "leaf" can not be requested from here: ask for a role, which counts there as its role_map says',
  })
})

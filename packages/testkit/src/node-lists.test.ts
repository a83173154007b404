/** The list of servers, as any client asks for it. */
import { randomUUID } from 'node:crypto'
import { toAuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let dan: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'dan'] })
  ;[alice, dan] = await Promise.all([world.signIn('alice'), world.signIn('dan')])
  const beat = (hostname: string, env: string) =>
    world.proxy.inventory.heartbeat({ id: randomUUID(), hostname, tunnel: true, labels: { env, kind: 'far' } })
  for (const [hostname, env] of [
    ['far-1', 'prod'],
    ['far-2', 'prod'],
    ['far-3', 'dev'],
    ['far-4', 'prod'],
  ] as const)
    await beat(hostname, env)
})
afterAll(() => world[Symbol.asyncDispose]())

const saveRole = (name: string, spec: object) =>
  alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec }) } })

test('R3-075: labels["env"]=="prod" filters; text that is no expression answers 400', async () => {
  const ask = (query: string) => alice.call(nodes, { params: { clusterId: world.cluster }, query: { query, sort: 'hostname:asc' } })
  const { items, totalCount } = await ask('labels["env"]=="prod"')
  expect(items.map(({ hostname }) => hostname)).toEqual(['far-1', 'far-2', 'far-4'])
  expect(totalCount).toBe(3)
  await expect(ask('labels["env"]=="prod" &&')).rejects.toMatchObject({
    status: 400,
    message: expect.stringMatching(/^failed to parse predicate expression: /),
  })
})

test('R7-037: the list of nodes honours limit, startKey, sort, search, query and searchAsRoles together', async () => {
  await saveRole('prod-seeker', { allow: { request: { search_as_roles: ['access'] }, node_labels: { env: 'dev' } } })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['prod-seeker'] } })
  const ask = async (path: string) => {
    const answer = await dan.fetch(`/v1/webapi/sites/${world.cluster}/nodes?${path}`)
    expect(answer.status).toBe(200)
    const page = nodes.out.parse(await answer.json())
    return { ...page, names: page.items.map(({ hostname }) => hostname) }
  }
  expect((await ask('searchAsRoles=&limit=&startKey=&query=&search=&sort=')).names).toEqual(['far-3'])
  const all = 'searchAsRoles=yes&sort=hostname:desc&limit=1&search=far'
  const first = await ask(`${all}&startKey=`)
  expect([first.names, first.totalCount]).toEqual([['far-4'], 4])
  expect((await ask(`${all}&startKey=${first.startKey}`)).names).toEqual(['far-3'])
  const queried = `${all.replace('&search=far', '')}&query=${encodeURIComponent('labels.env == "prod" && search("far")')}`
  const second = await ask(`${queried}&startKey=${(await ask(`${queried}&startKey=`)).startKey}`)
  expect([second.names, second.totalCount]).toEqual([['far-2'], 3])
})

test('R3-072: searchAsRoles=yes widens the list by search_as_roles, what it adds is marked and cannot be connected to; empty does not', async () => {
  await saveRole('seeker', { allow: { request: { search_as_roles: ['access'] } } })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['seeker'], traits: { logins: [ownLogin] } } })
  const ask = (searchAsRoles?: string) =>
    dan.call(nodes, {
      params: { clusterId: world.cluster },
      query: { search: world.agentId, ...(searchAsRoles !== undefined && { searchAsRoles }) },
    })
  for (const not of [undefined, '', 'no', 'YES']) expect(await ask(not), String(not)).toMatchObject({ items: [], totalCount: 0 })
  const { items } = await ask('yes')
  expect(items).toMatchObject([{ id: world.agentId, sshLogins: [], requiresRequest: true }])
  await expect(TerminalClient.open(dan, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })).rejects.toThrow('404')

  // With a right of one's own nothing is to be asked for.
  await alice.call(updateUser, { body: { name: 'dan', roles: ['seeker', 'access'] } })
  expect((await ask('yes')).items).toMatchObject([{ id: world.agentId, sshLogins: [ownLogin] }])
  expect((await ask('yes')).items[0]).not.toHaveProperty('requiresRequest')
})

test('R3-072: what a role of the caller denies is not shown, and roles that one role denies are not searched as', async () => {
  await saveRole('no-prod', { allow: { request: { search_as_roles: ['access'] } }, deny: { node_labels: { env: 'prod' } } })
  await saveRole('no-search', { deny: { request: { search_as_roles: ['access'] } } })
  const ask = async (roles: string[]) => {
    await alice.call(updateUser, { body: { name: 'dan', roles } })
    const { items } = await dan.call(nodes, { params: { clusterId: world.cluster }, query: { searchAsRoles: 'yes', search: 'far' } })
    return items.map(({ hostname }) => hostname)
  }
  expect(await ask(['no-prod'])).toEqual(['far-3'])
  expect(await ask(['no-prod', 'no-search'])).toEqual([])
})

test('R8-022: a search with other roles is in the audit log', async () => {
  await saveRole('auditing-seeker', { allow: { request: { search_as_roles: ['auditor', 'access'] } } })
  await alice.call(updateUser, { body: { name: 'dan', roles: ['auditing-seeker'] } })
  const params = { clusterId: world.cluster }
  const audited = async () => {
    const { events } = await alice.call(searchEvents, { params, query: { include: 'access_request.search' } })
    return events.filter(({ search_as_roles: roles }) => Array.isArray(roles) && roles.length === 2)
  }
  await dan.call(nodes, { params, query: { searchAsRoles: '' } })
  expect(await audited()).toEqual([])
  await dan.call(nodes, { params, query: { searchAsRoles: 'yes' } })
  const [event, ...more] = await audited()
  expect(more).toEqual([])
  expect(event).toMatchObject({ code: 'T5004I', user: 'dan', resource_type: 'node', search_as_roles: ['auditor', 'access'] })
  if (event) expect(toAuditDisplay(event).message).toBe('dan looked for node using roles auditor, access')
})

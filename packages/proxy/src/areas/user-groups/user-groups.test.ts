import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { pageOf } from '@sallyport/wire/entities/list.ts'
import { toUserGroup, userGroupWire } from '@sallyport/wire/entities/user-group.ts'
import { stringify } from 'yaml'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireKind } from '../../core/resources/managed-kinds.ts'
import { parseDocuments } from '../../core/resources/documents.ts'

let api: ProxyApi
let alice: ApiBrowser
let dan: ApiBrowser
const path = '/v1/webapi/sites/sallyport/user-groups'
const put = async (kind: string, name: string, metadata: object, spec: object, version: string): Promise<void> => {
  const [document] = parseDocuments(stringify({ kind, version, metadata: { name, ...metadata }, spec }))
  if (document) await requireKind(api.context.managedKinds, kind).apply(document, { force: true, by: 'alice' })
}
const role = (name: string, allow: object) => api.context.roles.create({ metadata: { name }, spec: { allow } })
const list = async (query: string, who = alice) => pageOf(userGroupWire).parse((await who.send('GET', `${path}?${query}`)).body)
const names = async (query: string, who = alice) => (await list(query, who)).items.map(({ name }) => name)

beforeAll(async () => {
  api = await openProxyApi()
  const rules = [{ resources: ['user_group'], verbs: ['list', 'read'] }]
  await role('groups', { group_labels: { team: '*' }, rules })
  await role('all-groups', { group_labels: { '*': '*' }, rules })
  await role('ask', { request: { search_as_roles: ['all-groups'] }, rules })
  alice = await signedIn(api, 'alice')
  dan = await signedIn(api, 'dan')
  for (const [name, roles] of [
    ['alice', ['groups', 'access']],
    ['dan', ['ask']],
  ] as const) {
    const { metadata, spec } = await api.context.users.require(name)
    await api.context.users.update({ metadata, spec: { ...spec, roles: [...roles] } })
  }
  await put('app', 'wiki', {}, { uri: 'http://127.0.0.1:3000' }, 'v3')
  const okta = { 'teleport.dev/origin': 'okta', 'teleport.internal/okta-group-name': 'All Staff', team: 'all' }
  await put('user_group', 'staff', { labels: okta }, { applications: ['wiki', 'gone'] }, 'v1')
  await put('user_group', 'developers', { description: 'Those who build', labels: { team: 'dev' } }, {}, 'v1')
  await put('user_group', 'nobodys', {}, {}, 'v1')
})
afterAll(() => api[Symbol.asyncDispose]())

test('R3-111: a group tells its name, description, labels, friendly name and applications; of these only what the viewer may see', async () => {
  const { items } = await list('')
  expect(items.map(toUserGroup)).toEqual([
    { name: 'developers', description: 'Those who build', labels: [{ name: 'team', value: 'dev' }], friendlyName: '', applications: [] },
    {
      name: 'staff',
      description: '',
      labels: [
        { name: 'team', value: 'all' },
        { name: 'teleport.dev/origin', value: 'okta' },
      ],
      friendlyName: 'All Staff',
      applications: [{ name: 'wiki', friendlyName: '' }],
    },
  ])
})
test('R7-042: the list is searched, queried, sorted and paged, and shows more to those who may ask for it', async () => {
  expect(await names('search=build')).toEqual(['developers'])
  expect(await names(`query=${encodeURIComponent('labels["team"] == "all"')}`)).toEqual(['staff'])
  expect(await names('sort=name:desc')).toEqual(['staff', 'developers'])
  const { items, startKey, totalCount } = await list('limit=1')
  expect([items.length, totalCount]).toEqual([1, 2])
  expect(await names(`limit=1&startKey=${startKey}`)).toEqual(['staff'])
  expect(await names('', dan)).toEqual([])
  expect((await list('searchAsRoles=yes', dan)).items.map((group) => [group.name, group.requiresRequest])).toEqual([
    ['developers', true],
    ['nobodys', true],
    ['staff', true],
  ])
  expect(await alice.send('GET', `${path}?sort=uri:asc`)).toMatchObject({ status: 501 })
})
test('a group that is removed is gone from the list', async () => {
  await put('user_group', 'short', { labels: { team: 'x' } }, {}, 'v1')
  expect(await names('search=short')).toEqual(['short'])
  await requireKind(api.context.managedKinds, 'user_group').remove('short', 'alice')
  expect(await names('search=short')).toEqual([])
})

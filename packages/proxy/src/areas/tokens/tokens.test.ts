import * as calls from '@sallyport/wire/calls/tokens.ts'
import { joinTokenItemWire, joinTokenWire, tokenNameHeader } from '@sallyport/wire/entities/join-token.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

let api: ProxyApi
let alice: ApiBrowser
beforeAll(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
  api.clock.hold()
})
afterAll(() => api[Symbol.asyncDispose]())

const hour = 3_600_000
const uuid = /^[0-9a-f-]{36}$/
const made = async (body: object, path = '/v1/webapi/token') => joinTokenWire.parse((await alice.send('POST', path, body)).body)
const items = async () => calls.list.out.parse((await alice.call(calls.list)).body).items
const itemOf = async (id: string) => (await items()).find((item) => item.id === id)
const remove = (name: string | undefined): Promise<Answer> =>
  alice.send('DELETE', '/v1/webapi/tokens', undefined, name === undefined ? {} : { [tokenNameHeader]: name })

test('R7-102, R7-104, R9-014, R9-015: a token is 16 random bytes, good for four hours, by method token, with a fresh resource id among its labels', async () => {
  const answer = await alice.send('POST', '/v1/webapi/token', { roles: ['Node'] })
  expect(answer).toMatchObject({ status: 200 })
  expect(answer.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{32}$/),
    expiry: new Date(api.clock.now() + 4 * hour).toISOString(),
    method: 'token',
    suggestedLabels: [{ name: 'teleport.internal/resource-id', value: expect.stringMatching(uuid) }],
  })
  expect(await made({ roles: ['Node'], join_method: '' })).toMatchObject({ method: 'token' })
  const other = await made({ roles: ['Node'], join_method: 'token' })
  expect(other.id).not.toBe(joinTokenWire.parse(answer.body).id)
  expect(await api.events('TJT00I')).toMatchObject([
    { event: 'join_token.create', user: 'alice', roles: ['Node'], join_method: 'token' },
    { user: 'alice', join_method: 'token' },
    { user: 'alice' },
  ])
})

test('R7-103: the token lets agents in as the roles that were named, and as nothing else', async () => {
  const { id } = await made({ roles: ['Node', 'App'] })
  expect(await api.context.joinTokens.redeem(id, 'Node')).toEqual({
    suggestedLabels: { 'teleport.internal/resource-id': expect.stringMatching(uuid) },
    roles: ['Node', 'App'],
  })
  await expect(api.context.joinTokens.redeem(id, 'Db')).rejects.toMatchObject({ code: 'access_denied' })
})

test('labels of the client are dropped by the first form of the call and kept by the second', async () => {
  const labels = { suggested_labels: { env: ['a', 'b'] } }
  expect((await made({ roles: ['Node'], ...labels })).suggestedLabels).toHaveLength(1)
  const second = await made({ roles: ['Node'], ...labels, suggestedLabels: [{ name: 'team', value: 'web' }] }, '/v2/webapi/token')
  expect(second.suggestedLabels).toEqual([
    { name: 'env', value: 'a b' },
    { name: 'team', value: 'web' },
    { name: 'teleport.internal/resource-id', value: expect.stringMatching(uuid) },
  ])
})

test('R7-105: an iam token keeps its rules, has their name and practically no end; the same rules give the same token', async () => {
  const allow = [{ aws_account: '123456789012', aws_arn: 'arn:aws:sts::123456789012:assumed-role/r/*' }, { aws_account: '210987654321' }]
  const body = { roles: ['Node'], join_method: 'iam', allow }
  const first = await made(body)
  expect(first).toMatchObject({ id: expect.stringMatching(/^teleport-ui-iam-\d+$/), method: 'iam' })
  expect(new Date(first.expiry).getUTCFullYear()).toBeGreaterThan(3000)
  expect(await made(body)).toEqual(first)
  expect(await made({ ...body, allow: allow.toReversed() })).toEqual(first)
  expect(await itemOf(first.id)).toMatchObject({ allow, safeName: first.id, method: 'iam' })
  expect(await alice.send('POST', '/v1/webapi/token', { ...body, roles: ['App'] })).toMatchObject({ status: 400 })
  expect(await alice.send('POST', '/v1/webapi/token', { ...body, allow: [] })).toMatchObject({
    status: 400,
    message: 'allow: name at least one rule with aws_account or aws_arn',
  })
})

test('labels that a database agent looks for are kept in the document', async () => {
  const { id } = await made({ roles: ['Db'], suggested_agent_matcher_labels: { env: ['prod'], zone: 'a' } })
  expect((await itemOf(id))?.content).toMatch(/suggested_agent_matcher_labels:\n {4}env:\n {6}- prod\n {4}zone:\n {6}- a\n/)
})

test('the list has every field of each token; secret names have a masked form', async () => {
  const { id } = await made({ roles: ['Node'] })
  expect(await itemOf(id)).toEqual({
    id,
    safeName: '*'.repeat(24) + id.slice(24),
    bot_name: '',
    expiry: expect.stringMatching(/Z$/),
    roles: ['Node'],
    isStatic: false,
    method: 'token',
    content: expect.stringContaining(`name: ${id}`),
    suggestedLabels: [{ name: 'teleport.internal/resource-id', value: expect.stringMatching(uuid) }],
    singleUse: false,
  })
})

test('a named token is made, replaced by fields and by its document, and removed by the header', async () => {
  const saved = await alice.call(calls.save, { body: { name: 'batch', roles: ['Node'], ttl: '24h', usage_mode: 'single_use' } })
  expect(joinTokenItemWire.parse(saved.body)).toMatchObject({
    id: 'batch',
    singleUse: true,
    expiry: new Date(api.clock.now() + 24 * hour).toISOString(),
  })
  await alice.call(calls.replace, { body: { name: 'batch', roles: ['App'] } })
  expect(await itemOf('batch')).toMatchObject({ roles: ['App'], singleUse: false })
  const content = (await itemOf('batch'))?.content.replace('- App', '- Kube') ?? ''
  expect(await alice.call(calls.saveYaml, { body: { content } })).toMatchObject({ status: 200 })
  expect(await itemOf('batch')).toMatchObject({ roles: ['Kube'] })
  expect(await alice.call(calls.saveYaml, { body: { content } })).toMatchObject({ status: 412 })
  expect(await remove(undefined)).toMatchObject({ status: 400, message: 'name the token in the header X-Teleport-TokenName' })
  expect(await remove('batch')).toMatchObject({ status: 200, body: { message: 'ok' } })
  expect(await remove('batch')).toMatchObject({ status: 404 })
  expect(await itemOf('batch')).toBeUndefined()
  expect(await api.events('TJT01I')).toMatchObject([{ user: 'alice', name: expect.stringContaining('*') }])
})

test('without a name the token gets a random one; a token with the role Trusted_cluster has an event of its own', async () => {
  const saved = await alice.call(calls.save, { body: { roles: ['Trusted_cluster'] } })
  expect(joinTokenItemWire.parse(saved.body).id).toMatch(/^[0-9a-f]{32}$/)
  expect(await api.events('T7002I')).toMatchObject([{ event: 'trusted_cluster_token.create', user: 'alice' }])
})

test.each([
  ['no roles', {}, 'roles'],
  ['an empty list of roles', { roles: [] }, 'roles'],
  ['a role that nobody has', { roles: ['Emperor'] }, 'spec.roles: there is no role "Emperor"'],
  ['a method that nobody knows', { roles: ['Node'], join_method: 'magic' }, 'join_method'],
  ['a bot without a name', { roles: ['Bot'] }, 'bot_name'],
  ['rules that are too long', { roles: ['Node'], github: { a: 'x'.repeat(70_000) } }, 'spec.github'],
])('%s is refused with 400', async (_what, body, message) => {
  expect(await alice.send('POST', '/v1/webapi/token', body)).toMatchObject({ status: 400, message: expect.stringContaining(message) })
})
test.each([
  ['more than a day', { ttl: '25h' }, 'lives for 24h at most'],
  ['no duration', { ttl: 'soon' }, '"soon" is no duration'],
  ['a masked name', { name: '****90' }, 'an asterisk stands for what is masked'],
])('a token for agents with %s is refused with 400', async (_what, body, message) => {
  expect(await alice.send('POST', '/v1/webapi/tokens', { roles: ['Node'], ...body })).toMatchObject({
    status: 400,
    message: expect.stringContaining(message),
  })
})

test('R6-030: without the right to create tokens nobody makes one', async () => {
  const bob = await signedIn(api, 'bob')
  expect(await bob.send('POST', '/v1/webapi/token', { roles: ['Node'] })).toMatchObject({
    status: 403,
    message: 'access denied to perform action "create" on "token"',
  })
})

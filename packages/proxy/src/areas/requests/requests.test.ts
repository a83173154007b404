import * as calls from '@sallyport/wire/calls/access-requests.ts'
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import { nodes as listNodes } from '@sallyport/wire/calls/nodes.ts'
import { renew, signOut, userStatus } from '@sallyport/wire/calls/session.ts'
import { accessRequestWire } from '@sallyport/wire/entities/access-request.ts'
import { sessionWire } from '@sallyport/wire/entities/session.ts'
import type { BodyInput } from '@sallyport/wire/call.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { callerOf, signedIn, signedInAgain } from '@sallyport/testkit/proxy-people.ts'
import type { Name } from '@sallyport/testkit/people.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { RoleSpecInput } from '../../core/access/role.ts'

const hour = 3_600_000
const nodeId = '5a2a1f4e-1111-4111-8111-000000000000'
let api: ProxyApi
let bob: ApiBrowser
let carol: ApiBrowser
let dan: ApiBrowser

/** bob asks for dba and for servers, carol and alice decide, dan sees nothing of it. */
beforeEach(async () => {
  api = await openProxyApi()
  bob = await signedIn(api, 'bob')
  carol = await signedIn(api, 'carol')
  dan = await signedIn(api, 'dan')
  await saveRole('dba', {
    allow: { logins: ['postgres'], node_labels: { tier: 'db' }, rules: [{ resources: ['user'], verbs: ['list', 'read'] }] },
  })
  await saveRole('asker', { allow: { request: { roles: ['dba'], search_as_roles: ['dba'], suggested_reviewers: ['carol'] } } })
  await saveRole('decider', { allow: { review_requests: { roles: ['dba'] } } })
  await give('bob', ['asker'])
  await give('carol', ['decider'])
  await api.context.inventory.heartbeat({ id: nodeId, hostname: 'db-1', labels: { tier: 'db' }, tunnel: true })
})
afterEach(() => api[Symbol.asyncDispose]())

const saveRole = async (name: string, spec: RoleSpecInput): Promise<void> => {
  const { roles } = api.context
  await ((await roles.get(name)) ? roles.update({ metadata: { name }, spec }) : roles.create({ metadata: { name }, spec }))
}
async function give(name: Name, roles: string[]): Promise<void> {
  const { metadata, spec } = await api.context.users.require(name)
  await api.context.users.update({ metadata, spec: { ...spec, roles } })
}
const ask = (browser: ApiBrowser, body: BodyInput<typeof calls.create>): Promise<Answer> => browser.call(calls.create, { body })
const read = (answer: Answer) => {
  if (answer.status !== 200) throw new Error(answer.message)
  return accessRequestWire.parse(answer.body)
}
const asked = async (body: BodyInput<typeof calls.create> = { roles: ['dba'] }): Promise<string> => read(await ask(bob, body)).id
const decide = (browser: ApiBrowser, requestId: string, state: 'APPROVED' | 'DENIED', more: { reason?: string; roles?: string[] } = {}) =>
  browser.call(calls.review, { params: { requestId }, body: { state, reason: '', roles: [], ...more } })
async function assume(browser: ApiBrowser, body: BodyInput<typeof renew>): Promise<Answer> {
  const answer = await browser.call(renew, { body })
  if (answer.status === 200) browser.bearer = sessionWire.parse(answer.body).token
  return answer
}
const contextOf = async (browser: ApiBrowser) =>
  userContext.out.parse((await browser.call(userContext, { params: { clusterId: api.context.config.clusterName } })).body)
const listUsers = (browser: ApiBrowser): Promise<Answer> => browser.send('GET', '/v1/webapi/users')

test('R3-035, R3-036, R3-050: the context tells what one may ask for, whom, and the rights that follow', async () => {
  expect((await contextOf(bob)).accessCapabilities).toEqual({ requestableRoles: ['dba'], suggestedReviewers: ['carol'] })
  const none = { list: false, read: false, edit: false, create: false, remove: false, use: false }
  expect((await contextOf(bob)).userAcl.accessRequests).toEqual({ ...none, list: true, read: true, create: true })
  expect((await contextOf(carol)).userAcl.accessRequests).toEqual({ ...none, list: true, read: true, edit: true })
  expect(await contextOf(dan)).toMatchObject({
    userAcl: { accessRequests: none },
    accessCapabilities: { requestableRoles: [], suggestedReviewers: [] },
  })
  await saveRole('ruled', { allow: { rules: [{ resources: ['access_request'], verbs: ['read', 'delete'] }] } })
  await give('dan', ['ruled'])
  expect((await contextOf(dan)).userAcl.accessRequests).toEqual({ ...none, read: true, remove: true })
  await saveRole('forbids', { deny: { rules: [{ resources: ['access_request'], verbs: ['create'] }] } })
  await give('bob', ['asker', 'forbids'])
  expect((await contextOf(bob)).userAcl.accessRequests.create).toBe(false)
  expect(await ask(bob, { roles: ['dba'] })).toMatchObject({
    status: 403,
    message: 'access denied to perform action "create" on "access_request"',
  })
})

test('R1-016, R4-043, R8-018, R8-019, R8-020, R8-021: asked, reviewed, decided and deleted, with an event for each', async () => {
  const made = await ask(bob, { roles: ['dba'], reason: 'ticket 5' })
  const { id } = read(made)
  expect(made.body).toMatchObject({
    state: 'PENDING',
    user: 'bob',
    roles: ['dba'],
    requestReason: 'ticket 5',
    resolveReason: '',
    reviews: [],
    suggestedReviewers: ['carol'],
    thresholdNames: ['default'],
    resources: [],
  })
  expect(await decide(carol, id, 'APPROVED', { reason: 'go ahead' })).toMatchObject({
    status: 200,
    body: {
      state: 'APPROVED',
      resolveReason: 'go ahead',
      reviews: [{ author: 'carol', state: 'APPROVED', reason: 'go ahead', roles: [], created: expect.stringMatching(/Z$/) }],
    },
  })
  const alice = await signedIn(api, 'alice')
  expect(await alice.call(calls.remove, { params: { requestId: id } })).toMatchObject({ status: 200, body: { message: 'ok' } })
  expect(await alice.call(calls.read, { params: { requestId: id } })).toMatchObject({
    status: 404,
    message: `access request "${id}" is not found`,
  })
  expect(await api.events('T5000I')).toMatchObject([
    {
      event: 'access_request.create',
      id,
      state: 'PENDING',
      user: 'bob',
      roles: ['dba'],
      reason: 'ticket 5',
      max_duration: expect.any(String),
    },
  ])
  expect(await api.events('T5002I')).toMatchObject([{ id, reviewer: 'carol', state: 'APPROVED', proposed_state: 'APPROVED' }])
  expect(await api.events('T5001I')).toMatchObject([{ id, state: 'APPROVED', updated_by: 'carol' }])
  expect(await api.events('T5003I')).toMatchObject([{ id, user: 'alice' }])
})

test('a request is seen by who made it, who may decide about it and who may list all; hidden is the same as absent', async () => {
  const id = await asked()
  const seen = async (browser: ApiBrowser) => calls.list.out.parse((await browser.call(calls.list)).body)
  expect((await seen(bob)).map((request) => [request.id, request.mayReview])).toEqual([[id, false]])
  expect((await seen(carol)).map((request) => [request.id, request.mayReview])).toEqual([[id, true]])
  expect(await seen(dan)).toEqual([])
  const absent = { status: 404, message: `access request "${id}" is not found` }
  expect(await dan.call(calls.read, { params: { requestId: id } })).toMatchObject(absent)
  expect(await decide(dan, id, 'APPROVED')).toMatchObject(absent)
  const alice = await signedIn(api, 'alice')
  expect((await seen(alice)).map((request) => [request.id, request.mayReview])).toEqual([[id, false]])
  expect(await decide(alice, id, 'APPROVED')).toMatchObject({ status: 403, message: `user "alice" can not review access request "${id}"` })
})

test('a dry run tells the longest time and the thresholds and stores nothing; * stands for every role that one may ask for', async () => {
  await saveRole('asker', {
    allow: { request: { roles: ['dba'], max_duration: '2h', thresholds: [{ name: 'two', approve: 2, deny: 1 }] } },
  })
  const dry = read(await ask(bob, { roles: ['*'], dryRun: true }))
  expect(dry).toMatchObject({ id: '', roles: ['dba'], thresholdNames: ['two'], state: 'PENDING' })
  expect(Date.parse(dry.maxDuration) - Date.parse(dry.created)).toBe(2 * hour)
  expect((await bob.call(calls.list)).body).toEqual([])
  expect(await api.events('T5000I')).toEqual([])
  const shorter = read(await ask(bob, { roles: ['*'], maxDuration: new Date(api.clock.now() + hour).toISOString() }))
  expect(Date.parse(shorter.expires) - Date.parse(shorter.created)).toBeLessThanOrEqual(hour)
  expect(await ask(carol, { roles: ['*'] })).toMatchObject({ status: 400, message: 'user "carol" can not request any role' })
})

test('where a role asks for a reason, none is refused with its prompt', async () => {
  await saveRole('strict', { options: { request_access: 'reason', request_prompt: 'Which ticket?' } })
  await give('bob', ['asker', 'strict'])
  expect(await ask(bob, { roles: ['dba'], reason: '  ' })).toMatchObject({ status: 400, message: 'a reason is needed: Which ticket?' })
  expect(await ask(bob, { roles: ['dba'], reason: 'ticket 5' })).toMatchObject({ status: 200 })
})

test('nobody reviews their own request, nor twice, nor one that is over, nor to a state that is none', async () => {
  await give('bob', ['asker', 'decider'])
  const id = await asked()
  expect(await decide(bob, id, 'APPROVED')).toMatchObject({
    status: 403,
    message: 'nobody reviews a request of their own; ask somebody else',
  })
  expect(await carol.call(calls.review, { params: { requestId: id }, body: { state: 'PENDING', reason: '', roles: [] } })).toMatchObject({
    status: 400,
  })
  expect(await decide(carol, id, 'APPROVED', { roles: ['editor'] })).toMatchObject({ status: 400 })
  await saveRole('asker', { allow: { request: { roles: ['dba'], thresholds: [{ approve: 2, deny: 2 }] } } })
  const two = await asked()
  expect(await decide(carol, two, 'APPROVED')).toMatchObject({
    status: 200,
    body: { state: 'PENDING', thresholds: [{ approve: 2, approvals: 1 }] },
  })
  expect(await decide(carol, two, 'DENIED')).toMatchObject({ status: 403, message: 'user "carol" has reviewed this request already' })
  api.clock.advance(8 * 24 * hour)
  carol = await signedInAgain(api, 'carol')
  expect(await decide(carol, id, 'APPROVED')).toMatchObject({ status: 400, message: `access request "${id}" has expired` })
})

test('R4-044: of many reviews at once each author counts once, one decision is made and later reviews change nothing', async () => {
  const alice = await signedIn(api, 'alice')
  await give('alice', ['decider', 'editor'])
  await give('dan', ['decider'])
  const id = await asked()
  const answers = await Promise.all([
    decide(carol, id, 'APPROVED'),
    decide(alice, id, 'DENIED'),
    decide(dan, id, 'APPROVED'),
    decide(carol, id, 'DENIED'),
    decide(dan, id, 'DENIED'),
  ])
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(3)
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(2)
  const told = await api.events('T5001I')
  expect(told).toHaveLength(1)
  const { state, reviews } = read(await bob.call(calls.read, { params: { requestId: id } }))
  expect(state).toBe(told[0]?.['state'])
  expect(reviews).toHaveLength(3)
  expect(reviews[0]?.state).toBe(state)
  expect(await api.events('T5002I')).toHaveLength(3)
})

test('R3-031: an approved request is assumed by renewing the session, adds its roles and names itself; switching back drops them', async () => {
  const id = await asked()
  expect(await assume(bob, { requestId: id })).toMatchObject({ status: 403, message: `access request "${id}" is awaiting approval` })
  await decide(carol, id, 'APPROVED')
  expect(await listUsers(bob)).toMatchObject({ status: 403 })
  expect(await assume(dan, { requestId: id })).toMatchObject({ status: 404, message: `access request "${id}" is not found` })
  const plain = read(await bob.call(calls.read, { params: { requestId: id } }))
  const assumed = await assume(bob, { requestId: id })
  expect(assumed.status).toBe(200)
  expect(Date.parse(sessionWire.parse(assumed.body).sessionExpires ?? '')).toBeLessThanOrEqual(Date.parse(plain.expires))
  expect(await contextOf(bob)).toMatchObject({
    accessRequestId: id,
    roles: ['asker', 'dba'],
    assumedRequests: [{ id, roles: ['dba'], resources: 0, locked: '' }],
  })
  expect(await listUsers(bob)).toMatchObject({ status: 200 })
  expect(await assume(bob, {})).toMatchObject({ status: 200 })
  expect((await contextOf(bob)).accessRequestId).toBe(id)
  expect(await assume(bob, { switchback: true })).toMatchObject({ status: 200 })
  expect(await contextOf(bob)).not.toHaveProperty('accessRequestId')
  expect(await listUsers(bob)).toMatchObject({ status: 403 })
})

test('a request that was denied, or is over, is not assumed', async () => {
  const denied = await asked()
  await decide(carol, denied, 'DENIED')
  expect(await assume(bob, { requestId: denied })).toMatchObject({ status: 403, message: `access request "${denied}" has been denied` })
  const short = await asked({ roles: ['dba'], maxDuration: new Date(api.clock.now() + hour).toISOString() })
  await decide(carol, short, 'APPROVED')
  api.clock.advance(2 * hour)
  bob = await signedInAgain(api, 'bob')
  expect(await assume(bob, { requestId: short })).toMatchObject({ status: 400, message: `access request "${short}" has expired` })
})

test('assumed access ends with its time, at the next request and for what lives on it', async () => {
  const id = await asked({ roles: ['dba'], maxDuration: new Date(api.clock.now() + 5 * 60_000).toISOString() })
  await decide(carol, id, 'APPROVED')
  const before = await callerOf(api, bob)
  await assume(bob, { requestId: id })
  const caller = await callerOf(api, bob)
  const ended = new Promise((resolve) => caller.signal.addEventListener('abort', resolve))
  api.clock.advance(5 * 60_000)
  expect(await listUsers(bob)).toMatchObject({ status: 403, message: 'need auth' })
  await ended
  expect(before.signal.aborted).toBe(false)
})

test('deleting a request leaves the sessions that have assumed it; nobody assumes it after', async () => {
  const id = await asked()
  await decide(carol, id, 'APPROVED')
  await assume(bob, { requestId: id })
  await api.context.requests.remove(id, 'alice')
  expect(await listUsers(bob)).toMatchObject({ status: 200 })
  await assume(bob, { switchback: true })
  expect(await assume(bob, { requestId: id })).toMatchObject({ status: 404 })
})

test('a role that is removed meanwhile gives nothing more, and a request of which none is left is not assumed', async () => {
  const id = await asked()
  await decide(carol, id, 'APPROVED')
  await assume(bob, { requestId: id })
  await api.context.roles.delete('dba')
  expect(await listUsers(bob)).toMatchObject({ status: 403 })
  await assume(bob, { switchback: true })
  expect(await assume(bob, { requestId: id })).toMatchObject({ status: 400, message: expect.stringContaining('do not exist any more') })
})

test('a lock on the request keeps the access away at once; dropping it works, and nothing else is locked', async () => {
  const id = await asked()
  await decide(carol, id, 'APPROVED')
  await assume(bob, { requestId: id })
  const refusal = { status: 403, message: `lock targeting AccessRequest:"${id}" is in force: no` }
  const lock = await api.context.locks.place({ target: { access_request: id }, message: 'no' }, 'alice')
  expect(await listUsers(bob)).toMatchObject(refusal)
  expect(await assume(bob, {})).toMatchObject(refusal)
  expect(await bob.call(userStatus)).toMatchObject({ status: 200 })
  expect(await contextOf(bob)).toMatchObject({ accessRequestId: id, roles: ['asker'], assumedRequests: [{ id, locked: refusal.message }] })
  expect(read(await carol.call(calls.read, { params: { requestId: id } }))).toMatchObject({ locked: refusal.message })
  expect(await assume(bob, { switchback: true })).toMatchObject({ status: 200 })
  expect(await bob.call(calls.list)).toMatchObject({ status: 200 })
  expect(await assume(bob, { requestId: id })).toMatchObject(refusal)
  await api.context.locks.lift(lock.metadata.name, 'alice')
  expect(await assume(bob, { requestId: id })).toMatchObject({ status: 200 })
  await api.context.locks.place({ target: { role: 'dba' } }, 'alice')
  expect(await listUsers(bob)).toMatchObject({ status: 403, message: 'lock targeting Role:"dba" is in force' })
  expect(await bob.call(signOut)).toMatchObject({ status: 200 })
})

test('a request for a server opens that server alone, with its logins, and nothing that rules of the role say', async () => {
  const other = '5a2a1f4e-2222-4222-8222-000000000000'
  const clusterName = api.context.config.clusterName
  await api.context.inventory.heartbeat({ id: other, hostname: 'db-2', labels: { tier: 'db' }, tunnel: true })
  const list = async (searchAsRoles = '') =>
    listNodes.out.parse((await bob.call(listNodes, { params: { clusterId: clusterName }, query: { searchAsRoles } })).body).items
  expect(await list()).toEqual([])
  expect((await list('yes')).map((node) => [node.id, node.requiresRequest])).toEqual([
    [nodeId, true],
    [other, true],
  ])
  const made = await ask(bob, { resourceIds: [{ kind: 'node', name: nodeId, clusterName }] })
  expect(made).toMatchObject({
    status: 200,
    body: { roles: ['dba'], resources: [{ id: { kind: 'node', name: nodeId, clusterName }, details: { hostname: 'db-1' } }] },
  })
  expect(await ask(carol, { resourceIds: [{ kind: 'node', name: nodeId, clusterName }] })).toMatchObject({ status: 403 })
  const { id } = read(made)
  await decide(carol, id, 'APPROVED')
  await assume(bob, { requestId: id })
  expect(await list()).toMatchObject([{ id: nodeId, hostname: 'db-1', sshLogins: ['postgres'] }])
  expect((await list('yes')).map((node) => [node.id, node.requiresRequest])).toEqual([
    [nodeId, undefined],
    [other, true],
  ])
  expect(await listUsers(bob)).toMatchObject({ status: 403 })
  expect(await contextOf(bob)).toMatchObject({ roles: ['asker'], assumedRequests: [{ roles: ['dba'], resources: 1 }] })
  const second = read(await ask(bob, { resourceIds: [{ kind: 'node', name: other, clusterName }] })).id
  await decide(carol, second, 'APPROVED')
  expect(await assume(bob, { requestId: second })).toMatchObject({
    status: 400,
    message: expect.stringContaining('drop that access first'),
  })
  await assume(bob, { switchback: true })
  expect(await list()).toEqual([])
})

test('what was given to somebody is not inherited by whoever gets the name next', async () => {
  const id = await asked()
  await decide(carol, id, 'APPROVED')
  await api.context.accounts.remove('bob', 'alice')
  api.clock.advance(1000)
  bob = await signedIn(api, 'bob')
  await give('bob', ['asker'])
  expect((await bob.call(calls.list)).body).toEqual([])
  expect(await assume(bob, { requestId: id })).toMatchObject({ status: 404 })
})

test('whoever runs the proxy decides without reviews, and only once', async () => {
  const id = await asked()
  expect((await api.context.requests.decide(id, 'root', { state: 'APPROVED', reason: 'urgent' })).spec).toMatchObject({
    state: 'APPROVED',
    resolve_reason: 'urgent',
  })
  expect(await api.events('T5001I')).toMatchObject([{ id, state: 'APPROVED', updated_by: 'root' }])
  await expect(api.context.requests.decide(id, 'root', { state: 'DENIED', reason: '' })).rejects.toThrow('is APPROVED already')
  expect(await assume(bob, { requestId: id })).toMatchObject({ status: 200 })
})

test('a request that nobody decided is told as expired, once, and forgotten a month later', async () => {
  const id = await asked()
  api.clock.advance(8 * 24 * hour)
  await api.context.requests.sweep()
  await api.context.requests.sweep()
  expect(await api.events('T5005I')).toMatchObject([{ id, user: 'bob' }])
  api.clock.advance(40 * 24 * hour)
  await api.context.requests.sweep()
  expect(await api.context.requests.all()).toEqual([])
})

import { randomUUID } from 'node:crypto'
import * as calls from '@sallyport/wire/calls/roles.ts'
import { userContext } from '@sallyport/wire/calls/clusters.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import type { AnswerOf, BodyInput } from '@sallyport/wire/call.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'

let api: ProxyApi
let alice: ApiBrowser
let bob: ApiBrowser

beforeAll(async () => {
  api = await openProxyApi()
  alice = await signedIn(api, 'alice')
  bob = await signedIn(api, 'bob')
})
afterAll(() => api[Symbol.asyncDispose]())

const document = (name: string, allow = '{}', more = ''): string =>
  `kind: role\nversion: v6\nmetadata: {name: ${JSON.stringify(name)}${more}}\nspec: {allow: ${allow}}\n`
const create = (content: string) => alice.call(calls.create, { body: { content } })
const update = (name: string, content: string) => alice.call(calls.update, { params: { name }, body: { content } })
const remove = (name: string) => alice.call(calls.remove, { params: { name } })
const itemOf = ({ body }: { body: unknown }) => calls.read.out.parse(body)
const give = async (name: string, roles: string[]): Promise<void> => {
  const user = await api.context.users.require(name)
  await api.context.users.update({ ...user, spec: { ...user.spec, roles } })
}

test('R7-090, R3-094, R6-044: a new cluster lists its presets as documents, in a bare array', async () => {
  const answer = await alice.call(calls.list)
  const items = calls.list.out.parse(answer.body)
  expect(Array.isArray(answer.body)).toBe(true)
  expect(items.map(({ name }) => name)).toEqual(['access', 'auditor', 'editor', 'requester', 'reviewer'])
  for (const { id, kind, name, content } of items) {
    expect([id, kind]).toEqual([`role:${name}`, 'role'])
    expect(parse(content)).toMatchObject({ kind: 'role', version: 'v6', metadata: { name } })
  }
  expect(itemOf(await alice.call(calls.read, { params: { name: 'access' } })).name).toBe('access')
  expect(await alice.call(calls.read, { params: { name: 'no-such' } })).toMatchObject({ status: 404 })
})

describe('R7-091: creating', () => {
  test('the answer is the document as it is stored, with defaults and keys in order', async () => {
    const answer = await create(document('dev', '{logins: [www], node_labels: {env: [dev]}}', ', description: "Dev <servers>"'))
    expect(answer.status).toBe(200)
    const { content, ...item } = itemOf(answer)
    expect(item).toEqual({ id: 'role:dev', kind: 'role', name: 'dev', description: 'Dev <servers>' })
    expect(parse(content)).toMatchObject({
      metadata: { revision: expect.any(String) },
      spec: { allow: { logins: ['www'], node_labels: { env: 'dev' } }, deny: {}, options: { max_session_ttl: '30h0m0s' } },
    })
    expect(itemOf(await alice.call(calls.read, { params: { name: 'dev' } })).content).toBe(content)
  })
  test.each([
    ['kind: [', 400, 'not a valid resource declaration: line 1'],
    [document('access'), 409, 'resource with name "access" already exists'],
    [document('editor'), 409, 'resource with name "editor" already exists'],
    [document('x').replace('role', 'user'), 400, 'resource kind "user" is invalid'],
    ['kind: role\nspec: {}', 400, 'missing parameter Name'],
    [document('x', '{logins: ["*"]}'), 400, 'spec.allow.logins: "*" is not allowed here'],
    [document('x', '{node_labls: {}}'), 400, 'unknown field "spec.allow.node_labls"'],
    [document('default-implicit-role'), 400, 'is reserved'],
    ['['.repeat(5000), 400, 'nested too deeply'],
  ])('%j is refused', async (content, status, message) => {
    expect(await create(content)).toMatchObject({ status, message: expect.stringContaining(message) })
  })
  test('an error names the line of each mistake', async () => {
    const answer = await create('kind: role\nmetadata:\n  name: x\nspec:\n  allow:\n    logins: ["*"]\n  alow: {}\n')
    expect(answer.body).toMatchObject({
      fields: { issues: expect.arrayContaining([expect.objectContaining({ path: 'spec.alow', line: 7, column: 3 })]) },
    })
  })
})

describe('R7-092: changing', () => {
  test('a change holds from the next request on', async () => {
    await create(document('ops', '{logins: [ops], node_labels: {team: ops}}'))
    await give('bob', ['ops'])
    await api.context.inventory.heartbeat({ id: randomUUID(), hostname: 'ops-1', tunnel: true, labels: { team: 'ops' }, logins: ['ops'] })
    const seen = async () => nodes.out.parse((await bob.call(nodes, { params: { clusterId: 'sallyport' } })).body).items.length
    expect(await seen()).toBe(1)
    expect(await update('ops', document('ops', '{logins: [ops], node_labels: {team: other}}'))).toMatchObject({ status: 200 })
    expect(await seen()).toBe(0)
    await give('bob', ['access'])
  })
  test('one that is not there answers 404, another name 400', async () => {
    expect(await update('nobody', document('nobody'))).toMatchObject({
      status: 404,
      message: 'resource with name "nobody" does not exist',
    })
    expect(await update('auditor', document('renamed'))).toMatchObject({
      status: 400,
      message: expect.stringContaining('renaming is not supported'),
    })
  })
  test('a change on top of an older revision answers 412, and no event tells of it', async () => {
    const first = itemOf(await create(document('raced')))
    expect(await update('raced', first.content)).toMatchObject({ status: 200 })
    const events = (await api.events('T9000I')).length
    expect(await update('raced', first.content)).toMatchObject({
      status: 412,
      message: expect.stringContaining('changed by somebody else'),
    })
    expect(await api.events('T9000I')).toHaveLength(events)
    expect(await update('raced', document('raced'))).toMatchObject({ status: 200 })
  })
})

describe('R7-093: deleting', () => {
  test('a role goes once', async () => {
    await create(document('gone'))
    expect(await remove('gone')).toMatchObject({ status: 200, body: { message: 'ok' } })
    expect(await remove('gone')).toMatchObject({ status: 404, message: 'resource with name "gone" does not exist' })
  })
  test('one that somebody holds stays, and they are named', async () => {
    await create(document('held'))
    await give('bob', ['access', 'held'])
    expect(await remove('held')).toMatchObject({ status: 400, message: 'role "held" is still in use: take it from "bob" first' })
    await give('bob', ['access'])
    expect(await remove('held')).toMatchObject({ status: 200 })
  })
  test('presets and the role of everybody stay', async () => {
    for (const name of ['editor', 'default-implicit-role']) expect(await remove(name)).toMatchObject({ status: 403 })
  })
})

test('R8-056: saving and deleting are in the audit log', async () => {
  await create(document('audited', '{}', ', expires: "2099-01-01T00:00:00Z"'))
  await update('audited', document('audited'))
  await remove('audited')
  const saved = (await api.events('T9000I')).filter(({ name }) => name === 'audited')
  expect(saved).toMatchObject([
    { event: 'role.created', user: 'alice', expires: '2099-01-01T00:00:00Z' },
    { event: 'role.created', user: 'alice' },
  ])
  expect((await api.events('T9001I')).filter(({ name }) => name === 'audited')).toMatchObject([{ event: 'role.deleted', user: 'alice' }])
})

test('nobody takes the last administrator’s rights by changing a role', async () => {
  const editor = itemOf(await alice.call(calls.read, { params: { name: 'editor' } }))
  expect(await update('editor', document('editor', '{rules: [{resources: [user], verbs: [list, read]}]}'))).toMatchObject({
    status: 400,
    message: expect.stringContaining('"alice" is the last'),
  })
  expect(await update('editor', editor.content.replace('deny: {}', "deny: {rules: [{resources: [role], verbs: ['*']}]}"))).toMatchObject({
    status: 400,
  })
  expect(await update('editor', editor.content)).toMatchObject({ status: 200 })
})

test('R3-042: rules on roles flip exactly the flags of their verbs', async () => {
  await create(document('role-reader', '{rules: [{resources: [role], verbs: [list, read]}]}'))
  await give('bob', ['role-reader'])
  const context = await bob.call(userContext, { params: { clusterId: 'sallyport' } })
  const none = { edit: false, create: false, remove: false, use: false }
  expect(context.body).toMatchObject({
    userAcl: { roles: { ...none, list: true, read: true }, users: { ...none, list: false, read: false } },
  })
  expect(await bob.call(calls.list)).toMatchObject({ status: 200 })
  for (const refused of [
    await bob.call(calls.create, { body: { content: document('x') } }),
    await bob.call(calls.update, { params: { name: 'role-reader' }, body: { content: document('role-reader') } }),
    await bob.call(calls.remove, { params: { name: 'role-reader' } }),
  ])
    expect(refused.status).toBe(403)
  await give('bob', ['access'])
})

test('a rule with a condition is judged for each role', async () => {
  const where = 'equals(resource.metadata.labels["team"], "red")'
  await create(document('red-admin', `{rules: [{resources: [role], verbs: ['*'], where: '${where}'}]}`))
  await create(document('red-1', '{}', ', labels: {team: red}'))
  await give('bob', ['red-admin'])
  expect(calls.list.out.parse((await bob.call(calls.list)).body).map(({ name }) => name)).toEqual(['red-1'])
  expect(await bob.call(calls.read, { params: { name: 'editor' } })).toMatchObject({ status: 404 })
  const save = (name: string, content: string) => bob.call(calls.update, { params: { name }, body: { content } })
  expect(await save('red-1', document('red-1', '{}', ', labels: {team: red}, description: x'))).toMatchObject({ status: 200 })
  const refused = { status: 403, message: expect.stringMatching(/^access denied to perform action "\w+" on "role"$/) }
  expect(await save('red-1', document('red-1', '{rules: [{resources: ["*"], verbs: ["*"]}]}'))).toMatchObject(refused)
  expect(await save('auditor', document('auditor', '{}', ', labels: {team: red}'))).toMatchObject(refused)
  expect(await bob.call(calls.create, { body: { content: document('mine') } })).toMatchObject(refused)
  expect(await bob.call(calls.remove, { params: { name: 'auditor' } })).toMatchObject(refused)
  expect(await bob.call(calls.explain, { body: { user: 'bob', right: { kind: 'role', verb: 'read' } } })).toMatchObject(refused)
  expect(await bob.call(calls.remove, { params: { name: 'red-1' } })).toMatchObject({ status: 200 })
  await give('bob', ['access'])
})

test('the presets as they were are open to everybody', async () => {
  const answer = await api.browser().call(calls.presets)
  expect(calls.presets.out.parse(answer.body).map(({ id }) => id)).toEqual([
    'role:editor',
    'role:access',
    'role:auditor',
    'role:requester',
    'role:reviewer',
  ])
})

describe('what saving would change', () => {
  const effectOf = async (content: string): Promise<AnswerOf<typeof calls.effect>> =>
    calls.effect.out.parse((await alice.call(calls.effect, { body: { content } })).body)
  test('who holds the role gains or loses servers, logins and rights', async () => {
    const id = randomUUID()
    await api.context.inventory.heartbeat({ id, hostname: 'lab-1', tunnel: true, labels: { lab: 'yes' }, logins: ['lab', 'root'] })
    await create(document('lab', '{logins: [lab], node_labels: {lab: "yes"}, rules: [{resources: [token], verbs: [list]}]}'))
    await give('bob', ['lab'])
    const item = { kind: 'node', name: id, title: 'lab-1' }
    const none = { gains: [], losses: [], gainsRights: [], losesRights: [], truncated: false }
    const changed = await effectOf(
      document('lab', '{logins: [root], node_labels: {lab: "yes"}, rules: [{resources: [token], verbs: [create]}]}'),
    )
    expect(changed).toMatchObject({ role: 'lab', exists: true, holders: 1, reaches: { node: 1 }, truncated: false })
    expect(changed.before).toContain('- lab')
    expect(changed.users).toEqual([
      {
        ...none,
        name: 'bob',
        gains: [{ ...item, principals: ['root'] }],
        losses: [{ ...item, principals: ['lab'] }],
        gainsRights: [{ resource: 'token', verbs: ['create'] }],
        losesRights: [{ resource: 'token', verbs: ['list'] }],
      },
    ])
    expect((await effectOf(document('lab'))).users).toMatchObject([{ losses: [{ ...item, principals: ['lab'] }] }])
    expect((await effectOf(itemOf(await alice.call(calls.read, { params: { name: 'lab' } })).content)).users).toEqual([])
    await give('bob', ['access'])
  })
  test('nothing is saved, and what saving would refuse is refused', async () => {
    const made = await effectOf(document('not-saved', '{node_labels: {"*": "*"}}'))
    expect(made).toMatchObject({ exists: false, before: '', holders: 0, users: [] })
    expect(made.reaches['node']).toBe(api.context.inventory.count())
    expect(await alice.call(calls.read, { params: { name: 'not-saved' } })).toMatchObject({ status: 404 })
    expect(await alice.call(calls.effect, { body: { content: document('x', '{logins: ["*"]}') } })).toMatchObject({ status: 400 })
  })
})

describe('why somebody may or may not', () => {
  const explain = (body: BodyInput<typeof calls.explain>) => alice.call(calls.explain, { body })
  test('a right and a server', async () => {
    expect((await explain({ user: 'bob', right: { kind: 'role', verb: 'create' } })).body).toMatchObject({
      allowed: false,
      reason: 'No role allows "create" on "role".',
      steps: [
        { role: 'access', effect: 'none' },
        { role: 'default-implicit-role', effect: 'none' },
      ],
    })
    const id = randomUUID()
    await api.context.inventory.heartbeat({ id, hostname: 'why-1', tunnel: true, labels: {}, logins: [] })
    for (const name of [id, 'why-1'])
      expect((await explain({ user: 'alice', resource: { kind: 'node', name, login: 'root' } })).body).toMatchObject({
        allowed: true,
        reason: 'Role "access" allows server "why-1" as "root".',
      })
  })
  test('of what is not there, or not asked', async () => {
    expect(await explain({ user: 'nobody', right: { kind: 'role', verb: 'read' } })).toMatchObject({ status: 404 })
    expect(await explain({ user: 'bob', resource: { kind: 'node', name: 'nowhere' } })).toMatchObject({ status: 404 })
    expect(await explain({ user: 'bob', resource: { kind: 'toaster', name: 'x' } })).toMatchObject({ status: 400 })
    expect(await explain({ user: 'bob' })).toMatchObject({ status: 400 })
  })
  test('who only reads roles learns neither of other people nor of servers that are hidden from them', async () => {
    await api.context.inventory.heartbeat({ id: randomUUID(), hostname: 'hidden-1', tunnel: true, labels: {}, logins: [] })
    await create(document('reads-roles', '{rules: [{resources: [role], verbs: [list, read]}]}'))
    await give('bob', ['reads-roles'])
    const asked = (body: BodyInput<typeof calls.explain>) => bob.call(calls.explain, { body })
    expect(await asked({ user: 'alice', right: { kind: 'role', verb: 'read' } })).toMatchObject({
      status: 403,
      message: 'access denied to perform action "read" on "user"',
    })
    expect(await asked({ user: 'bob', right: { kind: 'role', verb: 'read' } })).toMatchObject({ status: 200, body: { allowed: true } })
    expect(await asked({ user: 'bob', resource: { kind: 'node', name: 'hidden-1' } })).toMatchObject({ status: 404 })
    expect(await bob.call(calls.effect, { body: { content: document('x') } })).toMatchObject({
      status: 403,
      message: 'access denied to perform action "list" on "user"',
    })
    await create(document('reads-users', '{rules: [{resources: [user], verbs: [list, read]}]}'))
    await give('bob', ['reads-roles', 'reads-users'])
    const effect = await bob.call(calls.effect, { body: { content: document('x', '{node_labels: {"*": "*"}}') } })
    expect(effect.body).toMatchObject({ reaches: { node: 0 } })
    await give('bob', ['access'])
  })
})

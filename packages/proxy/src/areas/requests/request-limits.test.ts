/** What access requests are refused for, and how many there may be. */
import * as calls from '@sallyport/wire/calls/access-requests.ts'
import type { BodyInput } from '@sallyport/wire/call.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ApiBrowser, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterEach, beforeEach, expect, test } from 'vitest'

const nodeId = '5a2a1f4e-1111-4111-8111-000000000000'
let api: ProxyApi
let bob: ApiBrowser
beforeEach(async () => {
  api = await openProxyApi()
  bob = await signedIn(api, 'bob')
  const { roles, users } = api.context
  await roles.create({ metadata: { name: 'dba' }, spec: { allow: { node_labels: { tier: 'db' } } } })
  const annotations = JSON.parse('{"__proto__":["x"],"constructor":["y"]}') as Record<string, string[]>
  await roles.create({
    metadata: { name: 'asker' },
    spec: { allow: { request: { roles: ['dba'], search_as_roles: ['dba'], annotations } } },
  })
  const { metadata, spec } = await users.require('bob')
  await users.update({ metadata, spec: { ...spec, roles: ['asker'] } })
})
afterEach(() => api[Symbol.asyncDispose]())

const ask = (browser: ApiBrowser, body: BodyInput<typeof calls.create>): Promise<Answer> => browser.call(calls.create, { body })

test('what cannot be asked for is refused with the reason, and nothing is stored', async () => {
  const clusterName = api.context.config.clusterName
  const refused: [BodyInput<typeof calls.create>, number, RegExp][] = [
    [{}, 400, /at least one role/],
    [{ roles: ['editor'] }, 400, /^user "bob" can not request role "editor"$/],
    [{ roles: ['nobody'] }, 400, /^user "bob" can not request role "nobody"$/],
    [{ roles: ['asker'] }, 400, /has role "asker" already/],
    [{ roles: ['dba'], reason: 'ä'.repeat(3000) }, 400, /reason/],
    [{ roles: ['dba'], maxDuration: 'soon' }, 400, /maxDuration/],
    [{ roles: ['dba'], maxDuration: '2020-01-01T00:00:00Z' }, 400, /over already/],
    [{ roles: ['dba'], maxDuration: '2099-01-01T00:00:00Z' }, 400, /at most until/],
    [{ roles: ['dba'], reason: 'x'.repeat(1 << 20) }, 400, /reason/],
    [{ roles: Array.from({ length: 300 }, (_, index) => `r${index}`) }, 400, /roles: too big/],
    [
      { resourceIds: Array.from({ length: 300 }, (_, index) => ({ kind: 'app', name: `a${index}`, clusterName })) },
      400,
      /resourceIds: too big/,
    ],
    ...['__proto__', 'constructor', '../../x', 'a\u0000b', '\u202eevil'].flatMap((name): typeof refused => [
      [{ roles: [name] }, 400, /can not request role/],
      [{ resourceIds: [{ kind: 'db', name, clusterName }] }, 404, /is not found/],
    ]),
    [{ resourceIds: [{ kind: 'node', name: nodeId, clusterName: 'other' }] }, 400, /ask for a role/],
    [{ resourceIds: [{ kind: 'user_group', name: 'x', clusterName }] }, 400, /kind "user_group"/],
    [{ resourceIds: [{ kind: 'node', name: 'x', clusterName }] }, 404, /node "x" is not found/],
  ]
  for (const [body, status, message] of refused)
    expect(await ask(bob, body)).toMatchObject({ status, message: expect.stringMatching(message) })
  expect(await api.events('T5000I')).toEqual([])
  expect((await bob.call(calls.list)).body).toEqual([])
})

test('somebody has a hundred requests waiting at most, and annotations of any name come along', async () => {
  for (let count = 0; count < 100; count += 1) await api.context.requests.create('bob', wish)
  expect(await ask(bob, { roles: ['dba'] })).toMatchObject({ status: 429, message: expect.stringContaining('100 requests waiting') })
  expect((await api.events('T5000I'))[0]?.['annotations']).toMatchObject({ constructor: ['y'] })
  const [request] = await api.context.requests.all()
  await api.context.requests.decide(request?.metadata.name ?? '', 'alice', { state: 'DENIED', reason: '' })
  expect(await ask(bob, { roles: ['dba'] })).toMatchObject({ status: 200 })
})
const wish = { roles: ['dba'], reason: '', resources: [], suggestedReviewers: [], maxDuration: '', pendingUntil: '' }

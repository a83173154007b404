/**
 * Every call of the contract against everything that is wrong about a caller or a body: each refusal has its status and its
 * text, and the handler never runs. The tables follow from the contract, so a new call is attacked without being asked.
 */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { allCalls } from '@sallyport/wire/calls/all.ts'
import { callPath } from '@sallyport/wire/call.ts'
import type { Call } from '@sallyport/wire/call.ts'
import { errorBodyWire } from '@sallyport/wire/errors.ts'
import { requestBodyLimit } from '@sallyport/wire/limits.ts'
import { ApiBrowser, openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import type { Answer, ProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createLog } from '../core/log.ts'
import { createAuthenticator } from './authenticate.ts'
import { createRateLimiter } from './rate-limit.ts'
import { register } from './register.ts'
import { createServer } from './server.ts'

let api: ProxyApi
let app: Awaited<ReturnType<typeof createServer>>
/** Calls whose handler ran. */
let ran: string[] = []
let addresses = 0
const people: Record<string, { cookie: string; bearer: string }> = {}

beforeAll(async () => {
  api = await openProxyApi()
  for (const name of ['alice', 'bob', 'carol', 'dan'] as const) {
    const browser = await signedIn(api, name)
    people[name] = { cookie: browser.sessionCookie ?? '', bearer: browser.bearer ?? '' }
  }
  const { context } = api
  // alice may do everything that a rule can allow, dan nothing; bob is locked out, and the session of carol is over.
  await context.roles.create({ metadata: { name: 'everything' }, spec: { allow: { rules: [{ resources: ['*'], verbs: ['*'] }] } } })
  const { metadata, spec } = await context.users.require('alice')
  await context.users.update({ metadata, spec: { ...spec, roles: [...spec.roles, 'everything'] } })
  await context.locks.place({ target: { user: 'bob' }, message: 'out' }, 'alice')
  await context.db.updateTable('web_sessions').set({ expires: 1 }).where('user', '=', 'carol').execute()

  app = await createServer({ log: createLog('silent'), tls: undefined })
  const authenticator = createAuthenticator({ sessions: context.sessions, locks: context.lockView, audit: context.audit })
  const watched = context.routes.map(({ call }) => ({ call, handler: () => void ran.push(call.id) }))
  register(app, watched, { authenticator, limiter: createRateLimiter(api.clock) })
  await app.ready()
})
afterAll(async () => {
  await app.close()
  await api[Symbol.asyncDispose]()
})
beforeEach(() => {
  ran = []
})

/** As somebody, from an address of its own, with a page that is trusted. */
function browserOf(name: string | undefined): ApiBrowser {
  addresses += 1
  const over = {
    inject: app.inject.bind(app),
    listen: () => Promise.reject(new Error('no port')),
    [Symbol.asyncDispose]: () => app.close(),
  }
  const browser = new ApiBrowser(over, `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`).trustPage()
  const person = name === undefined ? undefined : people[name]
  if (person) {
    browser.cookies.set('__Host-session', person.cookie)
    browser.bearer = person.bearer
  }
  return browser
}
const pathOf = (call: Call): string =>
  callPath(call.path, Object.fromEntries([...call.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'])))
const send = (browser: ApiBrowser, call: Call, body?: unknown, headers?: Record<string, string>): Promise<Answer> =>
  browser.send(call.method, pathOf(call), body ?? (call.hasBody ? {} : undefined), headers)

const rows = (calls: readonly Call[]) => calls.map((call) => [call.id, call] as const)
const closed = allCalls.filter(({ allow }) => allow !== 'public')

interface Attack {
  what: string
  as?: string
  change?: (browser: ApiBrowser) => void
  message: string
}
const callers: Attack[] = [
  { what: 'no session', message: 'missing session cookie' },
  {
    what: 'a cookie that is none of ours',
    as: 'dan',
    change: (it) => it.cookies.set('__Host-session', 'zz'),
    message: 'failed to decode cookie',
  },
  { what: 'a session that is over', as: 'carol', message: 'need auth' },
  { what: 'no bearer', as: 'dan', change: (it) => (it.bearer = undefined), message: 'need auth' },
  { what: 'the bearer of somebody else', as: 'dan', change: (it) => (it.bearer = people['alice']?.bearer), message: 'bad bearer token' },
  { what: 'a bearer that nobody has', as: 'dan', change: (it) => (it.bearer = 'f'.repeat(64)), message: 'bad bearer token' },
  { what: 'somebody who is locked out', as: 'bob', message: 'lock targeting User:"bob" is in force: out' },
]
describe.each(callers.map((attack) => [attack.what, attack] as const))('%s', (_what, { as, change, message }) => {
  test.each(rows(closed))('%s', async (_id, call) => {
    const browser = browserOf(as)
    change?.(browser)
    expect(await send(browser, call)).toMatchObject({ status: 403, message })
    expect(ran).toEqual([])
  })
})

/** What everybody holds by the implicit role. */
const everybody = new Set([
  'node/list',
  'app_server/list',
  'app_server/read',
  'kube_server/list',
  'kube_server/read',
  'db_server/list',
  'db_server/read',
  'ssh_session/list',
  'remote_cluster/list',
  'cluster_auth_preference/read',
  'windows_desktop/list',
  'windows_desktop/read',
  'windows_desktop_service/list',
])
const ruled = closed.filter(
  ({ allow }) => typeof allow === 'object' && !allow.verbs.every((verb) => everybody.has(`${allow.kind}/${verb}`)),
)
test.each(rows(ruled))('a user without the right: %s', async (_id, call) => {
  expect(await send(browserOf('dan'), call)).toMatchObject({
    status: 403,
    message: expect.stringMatching(/^access denied to perform action "\w+" on "\w+"$/),
  })
  expect(ran).toEqual([])
})

const guarded = allCalls.filter(({ csrf }) => csrf)
test('some calls are guarded against other sites', () => expect(guarded.length).toBeGreaterThan(0))
describe.each(rows(guarded))('%s', (_id, call) => {
  test.each([
    ['no token', (it: ApiBrowser) => (it.csrf = '')],
    ['another token', (it: ApiBrowser) => (it.csrf = 'cd'.repeat(32))],
    ['no cookie', (it: ApiBrowser) => it.cookies.delete('__Host-grv_csrf')],
    ['a token that is no token', (it: ApiBrowser) => (it.csrf = 'x')],
  ])('%s', async (_what, change) => {
    const browser = browserOf('alice')
    change(browser)
    expect(await send(browser, call)).toMatchObject({ status: 403, message: 'access denied' })
    expect(ran).toEqual([])
  })
})

const withBody = allCalls.filter(({ hasBody }) => hasBody)
/** Judge their body themselves, because they refuse it without a word. */
const silent = new Set(['usage.traces'])
const tooLarge = Buffer.alloc(requestBodyLimit + 1, 0x20)
describe.each([
  ['a body that is no JSON', '{"a":', {}, /^request: /],
  ['a body that is no text', Buffer.from([0x22, 0xff, 0x22]), {}, /^request: /],
  ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, /^invalid request$/],
  ['plain text, as pages of other sites may send it', '{}', { 'content-type': 'text/plain' }, /^invalid request$/],
  ['a body without a type', '{}', { 'content-type': '' }, /^invalid request$/],
  ['a body that is too large', tooLarge, {}, /^request: the body is larger than 10 MiB$/],
  ['a list in place of an object', '[]', {}, /./],
] as const)('%s', (_what, body, headers, message) => {
  test.each(rows(withBody.filter(({ id }) => body !== '[]' || !silent.has(id))))('%s', async (_id, call) => {
    expect(await send(browserOf('alice'), call, body, headers)).toMatchObject({ status: 400, message: expect.stringMatching(message) })
    expect(ran).toEqual([])
  })
})

test('a bad body is looked at after the caller: who may not call learns nothing about it', async () => {
  for (const call of withBody.filter(({ allow }) => allow !== 'public'))
    expect(await send(browserOf(undefined), call, '{"a":')).toMatchObject({ status: 403, message: 'missing session cookie' })
  expect(ran).toEqual([])
})

describe('sockets', () => {
  let origin: string
  beforeAll(async () => {
    const { port } = await api.app.listen({ host: '127.0.0.1', port: 0 })
    origin = `http://127.0.0.1:${port}`
  })
  async function refusal(path: string, headers: Record<string, string>, bearer = ''): Promise<{ status: number; message: string }> {
    const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}?access_token=${bearer}`, { headers })
    const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
    return { status: answer.statusCode ?? 0, message: errorBodyWire.parse(await json(answer)).error.message }
  }
  test('every socket refuses pages of others, and callers who are nobody, over, of two minds or locked', async () => {
    expect(api.context.sockets.length).toBeGreaterThan(0)
    for (const { path } of api.context.sockets) {
      const at = callPath(path, Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, 'x'])))
      const as = (name: string) => ({ origin: api.origin, cookie: `__Host-session=${people[name]?.cookie}` })
      const foreign = { status: 403, message: 'access denied: the origin of the page is not this console' }
      for (const page of ['https://elsewhere.example.com', 'null', `${api.origin}.example.com`])
        expect(await refusal(at, { ...as('alice'), origin: page }, people['alice']?.bearer)).toEqual(foreign)
      expect(await refusal(at, { origin: api.origin })).toEqual({ status: 403, message: 'missing session cookie' })
      expect(await refusal(at, as('carol'), people['carol']?.bearer)).toEqual({ status: 403, message: 'need auth' })
      // A program that is no browser names no page; its session is looked at all the same.
      expect(await refusal(at, { cookie: as('carol').cookie }, people['carol']?.bearer)).toEqual({ status: 403, message: 'need auth' })
      expect(await refusal(at, as('dan'), people['alice']?.bearer)).toEqual({ status: 403, message: 'bad bearer token' })
      expect(await refusal(at, as('bob'), people['bob']?.bearer)).toEqual({
        status: 403,
        message: 'lock targeting User:"bob" is in force: out',
      })
    }
  })
})

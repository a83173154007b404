import { once } from 'node:events'
import { z } from 'zod'
import { sessionCookie } from '@sallyport/wire/limits.ts'
import { openProxyApi } from '@sallyport/testkit/proxy-api.ts'
import { signedIn } from '@sallyport/testkit/proxy-people.ts'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { notFound } from '../core/errors.ts'
import { siteAt } from '../core/site.ts'
import type { SocketRoute } from '../core/route.ts'
import { createAuthenticator } from './authenticate.ts'
import { createServer } from './server.ts'
import { serveSockets } from './socket.ts'

const query = z.object({ word: z.string().max(8, 'word is too long') })

/** Says who is there, then repeats what it hears. */
const echo: SocketRoute<typeof query, string> = {
  id: 'echo',
  path: '/v1/webapi/echo/{name}',
  query,
  prepare: ({ params, caller, query: { word } }) =>
    params['name'] === 'missing'
      ? Promise.reject(notFound('nobody of that name'))
      : Promise.resolve(`${caller.username} ${params['name']} ${word}`),
  open: (socket, greeting) => {
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
    socket.send(greeting)
  },
}

async function world({ keepAliveInterval = 60_000 } = {}) {
  await using opened = new AsyncDisposableStack()
  const api = opened.use(await openProxyApi())
  const alice = await signedIn(api, 'alice')
  const bob = await signedIn(api, 'bob')
  const app = await createServer({ log: api.context.log, tls: undefined })
  opened.defer(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const { sessions, lockView } = api.context
  const origin = `http://localhost:${port}`
  const sockets = serveSockets(app, [echo as unknown as SocketRoute], {
    authenticator: createAuthenticator({ sessions, locks: lockView, audit: api.context.audit }),
    sessions,
    site: siteAt(origin),
    log: api.context.log,
    settings: { networking: { ...api.context.settings.networking, keep_alive_interval: keepAliveInterval } },
  })
  opened.use(sockets)
  const disposables = opened.move()
  const connect = (path: string, given: { cookie?: string | undefined; origin?: string | undefined } = {}) => {
    const cookie = 'cookie' in given ? given.cookie : alice.sessionCookie
    return new WebSocket(`ws://127.0.0.1:${port}${path}`, {
      ...('origin' in given && given.origin === undefined ? {} : { origin: given.origin ?? origin }),
      headers: cookie ? { cookie: `${sessionCookie}=${cookie}` } : {},
    })
  }
  return { api, alice, bob, port, connect, sockets, origin, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
}

async function message(socket: WebSocket): Promise<string> {
  const [data] = (await once(socket, 'message')) as [Buffer]
  return data.toString()
}

/** Status and error text of an upgrade that is refused. */
function refusal(socket: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('open', () => reject(new Error('the socket opened')))
    socket.once('error', () => {})
    socket.once('unexpected-response', (_request, response) => {
      expect(response.headers['cache-control']).toBe('no-cache, no-store, must-revalidate')
      let text = ''
      response.on('data', (chunk: Buffer) => (text += chunk.toString()))
      response.on('end', () => resolve(`${response.statusCode} ${(JSON.parse(text) as { error: { message: string } }).error.message}`))
    })
  })
}

test('a socket opens with cookie and bearer, from a page of our own on either spelling of loopback or from no page at all', async () => {
  await using it = await world()
  for (const path of ['/v1/webapi/echo/x', '/webapi/echo/x'])
    for (const origin of [it.origin, `http://127.0.0.1:${it.port}`, undefined]) {
      const socket = it.connect(`${path}?access_token=${it.alice.bearer}&word=hello`, { origin })
      expect(await message(socket)).toBe('alice x hello')
      socket.close()
    }
})
test('everything that is wrong is refused before the upgrade, with a status and a text', async () => {
  await using it = await world()
  const { bearer } = it.alice
  const refused = (path: string, given?: { cookie?: string | undefined; origin?: string }) => refusal(it.connect(path, given))
  expect(await refused(`/v1/webapi/echo/x?access_token=${bearer}&word=a`, { origin: 'http://localhost.evil.example' })).toMatch(
    /^403 access denied/,
  )
  expect(await refused(`/v1/webapi/echo/x?access_token=${bearer}&word=a`, { origin: `https://localhost:${it.port}` })).toMatch(
    /^403 access denied/,
  )
  expect(await refused(`/v1/webapi/echo/x?access_token=${bearer}&word=a`, { cookie: undefined })).toBe('403 missing session cookie')
  expect(await refused('/v1/webapi/echo/x?word=a')).toBe('403 need auth')
  expect(await refused(`/v1/webapi/echo/x?access_token=${it.bob.bearer}&word=a`)).toBe('403 bad bearer token')
  expect(await refused(`/v1/webapi/echo/x?access_token=${bearer}&word=far-too-long`)).toBe('400 word is too long')
  expect(await refused(`/v1/webapi/echo/missing?access_token=${bearer}&word=a`)).toBe('404 nobody of that name')
  expect(await refused(`/v1/webapi/nothing?access_token=${bearer}`)).toMatch(/^404 /)
  expect(await refused(`//[?access_token=${bearer}`)).toMatch(/^404 /)
})
test('the later form takes the bearer as its first frame', async () => {
  await using it = await world()
  const open = async (first: string) => {
    const socket = it.connect('/v1/webapi/echo/x/ws?word=hi')
    const heard: string[] = []
    socket.on('open', () => socket.send(first))
    socket.on('message', (data: Buffer) => {
      heard.push(data.toString())
      if (heard.length === 2) socket.close()
    })
    await once(socket, 'close')
    return heard.map((text) => (text.startsWith('{') ? (JSON.parse(text) as unknown) : text))
  }
  expect(await open(JSON.stringify({ token: it.alice.bearer }))).toEqual([{ type: 'create_session_response', status: 'ok' }, 'alice x hi'])
  expect(await open(JSON.stringify({ token: it.bob.bearer }))).toEqual([
    { type: 'create_session_response', status: 'error', message: 'bad bearer token' },
  ])
  expect(await open('no json')).toMatchObject([{ status: 'error', message: 'need auth' }])
})
test('signing out closes the sockets of the sign-in, not those of others', async () => {
  await using it = await world()
  const mine = it.connect(`/v1/webapi/echo/x?access_token=${it.alice.bearer}&word=a`)
  const bobs = it.connect(`/v1/webapi/echo/x?access_token=${it.bob.bearer}&word=a`, { cookie: it.bob.sessionCookie })
  await Promise.all([message(mine), message(bobs)])
  const closed = once(mine, 'close')
  await it.alice.send('DELETE', '/v1/webapi/sessions/web')
  await closed
  bobs.send('still there')
  expect(await message(bobs)).toBe('still there')
})
test('a message above 10 MiB ends the socket and nothing else', async () => {
  await using it = await world()
  const socket = it.connect(`/v1/webapi/echo/x?access_token=${it.alice.bearer}&word=a`)
  await message(socket)
  const closed = once(socket, 'close')
  socket.send(Buffer.alloc(10 * 1024 * 1024 + 1))
  expect((await closed)[0]).toBe(1009)
  expect(await message(it.connect(`/v1/webapi/echo/x?access_token=${it.alice.bearer}&word=b`))).toBe('alice x b')
})
test('a peer that answers no pings is dropped', async () => {
  await using it = await world({ keepAliveInterval: 20 })
  const alive = it.connect(`/v1/webapi/echo/x?access_token=${it.alice.bearer}&word=a`)
  await message(alive)
  const silent = new WebSocket(`ws://127.0.0.1:${it.port}/v1/webapi/echo/x?access_token=${it.bob.bearer}&word=a`, {
    origin: it.origin,
    headers: { cookie: `${sessionCookie}=${it.bob.sessionCookie}` },
    autoPong: false,
  })
  await once(silent, 'close')
  expect(alive.readyState).toBe(WebSocket.OPEN)
})
test('stopping closes every socket and refuses new ones', async () => {
  await using it = await world()
  const socket = it.connect(`/v1/webapi/echo/x?access_token=${it.alice.bearer}&word=a`)
  await message(socket)
  const closed = once(socket, 'close')
  await it.sockets[Symbol.asyncDispose]()
  await closed
  expect(await refusal(it.connect(`/v1/webapi/echo/x?access_token=${it.alice.bearer}&word=a`))).toMatch(/^504 /)
})

/** A socket of a browser and one of a leaf, joined by the root. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { accessDenied } from '../core/errors.ts'
import type { SocketRequest, SocketRoute } from '../core/route.ts'
import type { RemoteCluster } from '../core/trusted-clusters/remote-clusters.ts'
import { endWithError } from './raw-answer.ts'
import { forwardedSocket } from './forward-socket.ts'

const closing: (() => void)[] = []
afterEach(() => closing.splice(0).forEach((close) => close()))

async function server(): Promise<{
  port: number
  next: () => Promise<{ socket: WebSocket; request: IncomingMessage }>
  refuse: (body: string) => void
}> {
  const http = createServer()
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false })
  let refusal: string | undefined
  http.on('upgrade', (request, connection: Duplex, head) => {
    if (refusal !== undefined) return endWithError(connection, { status: 403, body: refusal })
    sockets.handleUpgrade(request, connection, head, (socket) => void sockets.emit('connection', socket, request))
  })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  closing.push(() => {
    for (const client of sockets.clients) client.terminate()
    http.close()
  })
  const next = async () => {
    const [socket, request] = (await once(sockets, 'connection')) as [WebSocket, IncomingMessage]
    return { socket, request }
  }
  return { port: (http.address() as AddressInfo).port, next, refuse: (body) => (refusal = body) }
}

const leaf = { name: 'leaf', labels: {} } as RemoteCluster
const route = { id: 'terminal.connect', path: '/v1/webapi/sites/{clusterId}/connect' } as SocketRoute

async function world() {
  const [there, here] = [await server(), await server()]
  const targets: string[] = []
  const forwarded = forwardedSocket(
    {
      leafOf: async () => leaf,
      requireEntry: (_leaf, { username }) => {
        if (username === 'dan') throw accessDenied('access to cluster denied')
      },
      call: async () => undefined,
      open: async (_passage, { target }) => {
        targets.push(target)
        const stream = connect(there.port, '127.0.0.1')
        await once(stream, 'connect')
        return { stream, headers: { 'sallyport-assertion': 'it' } }
      },
    },
    leaf,
    route,
  )
  const request = {
    params: { clusterId: 'leaf' },
    query: { access_token: 'secret', params: '{"a":"b c&d"}', traceparent: '00' },
    caller: { username: 'alice', signal: new AbortController().signal },
    client: { address: '10.0.0.1:2', ip: '10.0.0.1', userAgent: 'browser' },
    signal: new AbortController().signal,
  } as unknown as SocketRequest<Record<string, unknown>>
  return { there, here, forwarded, request, targets }
}
async function joined() {
  const it = await world()
  const atLeaf = it.there.next()
  const toLeaf = (await it.forwarded.prepare(it.request)) as WebSocket
  const atRoot = it.here.next()
  const browser = new WebSocket(`ws://127.0.0.1:${it.here.port}`)
  closing.push(() => browser.terminate())
  const [{ socket }] = await Promise.all([atRoot, once(browser, 'open')])
  it.forwarded.open(socket, toLeaf, it.request)
  return { ...it, browser, toLeaf, leafSocket: await atLeaf }
}

test('the leaf gets the query without the bearer, and no header of the browser but its name', async () => {
  const { targets, leafSocket } = await joined()
  expect(targets).toEqual(['/webapi/sites/leaf/connect?params=%7B%22a%22%3A%22b+c%26d%22%7D&traceparent=00'])
  const { headers } = leafSocket.request
  expect(headers).toMatchObject({ 'sallyport-assertion': 'it', 'user-agent': 'browser' })
  for (const name of ['cookie', 'authorization', 'origin']) expect(headers).not.toHaveProperty(name)
})

test('texts stay texts and bytes stay bytes, in both directions; a goodbye goes through with its reason', async () => {
  const { browser, leafSocket } = await joined()
  const heard = (socket: WebSocket) => once(socket, 'message') as Promise<[Buffer, boolean]>
  const fromLeaf = heard(browser)
  leafSocket.socket.send('text')
  expect((await fromLeaf).map(String)).toEqual(['text', 'false'])
  const fromBrowser = heard(leafSocket.socket)
  browser.send(Buffer.from([1, 2, 3]))
  const [bytes, isBinary] = await fromBrowser
  expect([[...bytes], isBinary]).toEqual([[1, 2, 3], true])
  leafSocket.socket.close(4001, 'enough')
  const [code, reason] = (await once(browser, 'close')) as [number, Buffer]
  expect([code, reason.toString()]).toEqual([4001, 'enough'])
})

test('a leaf that is cut off leaves no goodbye: the browser comes back by itself', async () => {
  const { browser, leafSocket } = await joined()
  leafSocket.socket.terminate()
  const [code] = (await once(browser, 'close')) as [number]
  expect(code).toBe(1006)
})

test('a browser that does not read stops the leaf, and nothing is lost', async () => {
  const { browser, leafSocket, toLeaf } = await joined()
  browser.pause()
  const piece = Buffer.alloc(1024 * 1024, 1)
  const pieces = 200
  let sent = 0
  for (let count = 0; count < pieces; count += 1) leafSocket.socket.send(piece, () => (sent += 1))
  await expect.poll(() => toLeaf.isPaused).toBe(true)
  expect(sent).toBeLessThan(pieces)
  let got = 0
  browser.on('message', (data: Buffer) => (got += data.length))
  browser.resume()
  await expect.poll(() => got).toBe(pieces * piece.length)
})

test('who may not enter is told before the leaf is asked; a refusal of the leaf is told as it is', async () => {
  const { forwarded, request, there, targets } = await world()
  const dan = { ...request, caller: { ...request.caller, username: 'dan' } }
  await expect(forwarded.prepare(dan)).rejects.toMatchObject({ status: 403, message: 'access to cluster denied' })
  expect(targets).toEqual([])
  there.refuse('{"error":{"message":"access to node denied"}}')
  await expect(forwarded.prepare(request)).rejects.toMatchObject({ status: 403, message: 'access to node denied' })
  there.refuse('no JSON')
  await expect(forwarded.prepare(request)).rejects.toMatchObject({ status: 504 })
})

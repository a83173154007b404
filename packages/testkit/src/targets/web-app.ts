/** A small real web application: a page for people, and addresses that behave as applications do. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { pipeline, Readable } from 'node:stream'
import { WebSocketServer } from 'ws'

export interface WebApp extends AsyncDisposable {
  /** `http://127.0.0.1:port`, or `https`. */
  readonly uri: string
  readonly port: number
  /** Connections that it has taken in. */
  readonly connections: () => number
  /** Bytes of watched downloads that were made, by all applications of this process. */
  readonly watched: () => number
  /** Cuts every connection, as a crash would; new ones are refused. */
  kill(): void
}

const chunk = Buffer.alloc(64 * 1024, 'sallyport ')

type Page = (request: IncomingMessage, response: ServerResponse, url: URL) => void | Promise<void>

const pages: Record<string, Page> = {
  '/': (_request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(
      '<!doctype html><html lang="en"><title>Team wiki</title><body style="font-family:sans-serif;margin:3rem"><h1>Team wiki</h1><p>Served by a small application behind Sallyport.</p><p><a href="/headers">What it is told about you</a></p></body></html>',
    )
  },
  '/headers': ({ method, url, rawHeaders }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method, url, rawHeaders }))
  },
  /** What it was sent, as a digest. */
  '/digest': async (request, response) => {
    const digest = createHash('sha256')
    let length = 0
    for await (const part of request as AsyncIterable<Buffer>) {
      digest.update(part)
      length += part.length
    }
    response.end(JSON.stringify({ length, digest: digest.digest('hex') }))
  },
  /** `bytes` of an answer, no faster than they are read; with `watched` they are counted. */
  '/download': (_request, response, url) => {
    function* parts(): Generator<Buffer> {
      for (let left = Number(url.searchParams.get('bytes')); left > 0; left -= chunk.length) {
        const part = chunk.subarray(0, left)
        if (url.searchParams.has('watched')) watched += part.length
        yield part
      }
    }
    pipeline(Readable.from(parts()), response, () => {})
  },
  '/redirect': (_request, response, url) => {
    response.writeHead(Number(url.searchParams.get('status') ?? 302), { location: url.searchParams.get('to') ?? '/' }).end()
  },
  '/cookies': (_request, response, url) => {
    response.setHeader('set-cookie', url.searchParams.getAll('set'))
    response.setHeader('clear-site-data', '"cookies"')
    response.setHeader('alt-svc', 'h3=":443"')
    response.end('ok')
  },
  /** One event, then another one when it is asked for. */
  '/events': (_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: one\n\n')
    more.add(response)
    response.once('close', () => more.delete(response))
  },
  '/more': (_request, response) => {
    for (const each of more) each.write('data: two\n\n')
    response.end(String(more.size))
  },
  /** Says that more comes and breaks off. */
  '/broken': (_request, response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write('half of it')
    setImmediate(() => response.destroy())
  },
}
const more = new Set<ServerResponse>()
let watched = 0

const answer: RequestListener = (request, response) => {
  const url = new URL(request.url ?? '/', 'http://app.invalid')
  const page = pages[url.pathname]
  if (!page) return void response.writeHead(404).end('no such page')
  void Promise.resolve(page(request, response, url)).catch(() => response.destroy())
}

/** Echoes what comes over `/echo`. */
export async function startWebApp({ tls }: { tls?: { cert: string; key: string } } = {}): Promise<WebApp> {
  const server = tls ? createTlsServer(tls, answer) : createServer(answer)
  const sockets = new Set<Socket>()
  let taken = 0
  server.on('connection', (socket: Socket) => {
    taken += 1
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const echo = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, connection, head) => {
    if (request.url !== '/echo') return void connection.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 2\r\n\r\nno')
    echo.handleUpgrade(request, connection, head, (socket) => {
      socket.send(JSON.stringify(request.rawHeaders))
      socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const kill = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  return {
    uri: `${tls ? 'https' : 'http'}://127.0.0.1:${port}`,
    port,
    connections: () => taken,
    watched: () => watched,
    kill,
    async [Symbol.asyncDispose]() {
      kill()
      echo.close()
    },
  }
}

/**
 * Requests that come to one generation and are about a session of another one, or a sign-in that waits there. They go
 * there as they came, through a socket that only we can open, and whoever keeps it decides about them: nothing is
 * decided here.
 */
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError, connectionProblem } from '../core/errors.ts'
import type { Neighbour, Neighbours } from '../core/generations/neighbours.ts'

export interface Relay extends Disposable {
  /** A connection of another generation, for a request that came there. */
  accept(socket: Socket, from: { ip: string; port: number }): void
  /** Whether a connection is of another generation. */
  isRelayed(socket: object): boolean
  /** Passes an upgrade on to the generation of that session; false when it is here or nowhere. */
  upgrade(request: IncomingMessage, connection: Duplex, head: Buffer, id: string): Promise<boolean>
  /** The same for a call. */
  call(request: FastifyRequest, reply: FastifyReply, id: string): Promise<boolean>
  /** What the other generations answer to the same call. */
  gather(request: FastifyRequest): Promise<unknown[]>
  /** Connections that are passed on now. */
  count(): number
}

export interface RelayDeps {
  neighbours: Pick<Neighbours, 'all' | 'keeperOf'>
  keptHere: (id: string) => boolean
  serve: (socket: Socket) => void
}

/** Of one connection, not of the request. */
const hopHeaders = new Set(['connection', 'keep-alive', 'expect'])
/** For an answer to `gather`. */
const patience = 3000

export function createRelay({ neighbours, keptHere, serve }: RelayDeps): Relay {
  /** Their requests are answered here or not at all. */
  const relayed = new WeakSet<object>()
  const passing = new Set<Socket>()

  async function keeperOf(request: IncomingMessage, id: string): Promise<Neighbour | undefined> {
    if (relayed.has(request.socket) || keptHere(id) || neighbours.all().length === 0) return undefined
    return neighbours.keeperOf(id)
  }

  async function ask(neighbour: Neighbour, { raw }: FastifyRequest, body: IncomingMessage | Buffer | undefined, signal: AbortSignal) {
    const socket = await neighbour.serve(addressOf(raw))
    const headers = ['connection', 'close', ...endToEnd(raw.rawHeaders)]
    const outgoing = httpRequest({ createConnection: () => socket, method: raw.method, path: raw.url, headers, signal })
    const answered = new Promise<IncomingMessage>((resolve, reject) => outgoing.once('response', resolve).once('error', reject))
    if (body && 'pipe' in body) body.pipe(outgoing)
    else outgoing.end(body)
    return answered
  }

  return {
    accept(socket, { ip, port }) {
      relayed.add(socket)
      Object.defineProperties(socket, { remoteAddress: { value: ip }, remotePort: { value: port } })
      serve(socket)
    },
    isRelayed: (socket) => relayed.has(socket),
    async upgrade(request, connection, head, id) {
      const keeper = await keeperOf(request, id)
      if (!keeper) return false
      const socket = await keeper.serve(addressOf(request))
      const lines = [
        `${request.method} ${request.url} HTTP/1.1`,
        ...pairsOf(request.rawHeaders).map(([name, value]) => `${name}: ${value}`),
      ]
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
      if (head.length > 0) socket.write(head)
      passing.add(socket)
      socket.once('close', () => {
        passing.delete(socket)
        connection.destroy()
      })
      connection.once('close', () => socket.destroy())
      // Either end closes both.
      connection.on('error', () => socket.destroy())
      socket.pipe(connection)
      connection.pipe(socket)
      return true
    },
    async call(request, reply, id) {
      const keeper = await keeperOf(request.raw, id)
      if (!keeper) return false
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort(new Error('the client left')))
      const answer = await ask(keeper, request, bodyOf(request) ?? request.raw, gone.signal).catch((cause: unknown) => {
        throw cause instanceof AppError ? cause : connectionProblem('the session has just ended', { cause })
      })
      void reply.hijack()
      reply.raw.writeHead(answer.statusCode ?? 502, endToEnd(answer.rawHeaders))
      // It broke off at one of the two ends; the other one notices.
      await pipeline(answer, reply.raw).catch(() => reply.raw.destroy())
      return true
    },
    async gather(request) {
      if (relayed.has(request.raw.socket)) return []
      const found = await Promise.all(
        neighbours.all().map(async (neighbour) => {
          try {
            const answer = await ask(neighbour, request, bodyOf(request), AbortSignal.timeout(patience))
            return answer.statusCode === 200 ? [JSON.parse(await text(answer)) as unknown] : []
          } catch {
            return [] // it has just ended, and its sessions with it
          }
        }),
      )
      return found.flat()
    },
    count: () => passing.size,
    [Symbol.dispose]() {
      for (const socket of passing) socket.destroy()
    },
  }
}

const bodyOf = ({ body }: FastifyRequest): Buffer | undefined => (body instanceof Buffer ? body : undefined)

const addressOf = ({ socket }: IncomingMessage): { ip: string; port: number } => ({
  ip: socket.remoteAddress ?? '',
  port: socket.remotePort ?? 0,
})

const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? ''] satisfies [string, string]] : []))

const endToEnd = (raw: readonly string[]): string[] =>
  pairsOf(raw)
    .filter(([name]) => !hopHeaders.has(name.toLowerCase()))
    .flat()

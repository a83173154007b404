/** What a proxy may ask of this host over its tunnel: HTTP/2 in the direction in which the host dialled. */
import { constants, performServerHandshake } from 'node:http2'
import type { IncomingHttpHeaders, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  agentPaths,
  clientAddressHeader,
  clusterNewsWire,
  connectionWindow,
  controlLineLimit,
  databaseOf,
  frameSize,
  ownSshTarget,
  refusalHeader,
  streamWindow,
} from '@sallyport/wire/tunnel.ts'
import type { ClusterNews, HeartbeatWire } from '@sallyport/wire/tunnel.ts'
import type { AgentLog } from '../log.ts'

export interface ServeOptions {
  /** Takes a stream that is for this host's own SSH server. */
  readonly accept: (stream: Duplex, clientAddress: string | undefined) => void
  /** Targets, as `host:port`, that may be dialled from here. */
  readonly forward: ReadonlySet<string>
  /** Whether the addresses of databases are dialled that the cluster's documents say. */
  readonly servesDatabases?: boolean
  /** Targets that this agent speaks for itself: they are answered here, not dialled as they are. */
  readonly spoken?: ReadonlyMap<string, (stream: Duplex) => void>
  readonly onNews: (news: ClusterNews) => Promise<void>
  /** The proxy asks for a further connection. */
  readonly onAgain: () => void
  /** Told the newest heartbeat at once, and each later one. */
  readonly heartbeats: { subscribe(listener: (heartbeat: HeartbeatWire) => void): Disposable }
  readonly log: AgentLog
  /** Milliseconds between two pings. */
  readonly pingEvery: number
}

export interface ServedTunnel {
  /** Resolves with the reason when it is over. */
  readonly closed: Promise<string>
  /** Tells the proxy that it ends. */
  close(): void
  /** The same once no stream of a session is open. */
  closeWhenIdle(): void
}

const missLimit = 2
const maxStreams = 1000
const headerLimit = 16 * 1024
/** Megabytes; data that waits to be sent counts. */
const memoryLimit = 64
const dialTimeout = 10_000
/** How long a proxy has to take the goodbye. */
const goodbyeTime = 500

export function serveTunnel(stream: Duplex, options: ServeOptions): ServedTunnel {
  const { promise: closed, resolve: settle } = Promise.withResolvers<string>()
  const settings = {
    initialWindowSize: streamWindow,
    maxFrameSize: frameSize,
    maxHeaderListSize: headerLimit,
    maxConcurrentStreams: maxStreams,
  }
  const session = performServerHandshake(stream as never, { settings, maxSessionMemory: memoryLimit })
  session.setLocalWindowSize(connectionWindow)
  let reason = 'the proxy closed the connection'
  const end = (because: string): void => {
    reason = because
    session.destroy()
    stream.destroy()
  }
  session.on('error', (error: Error) => end(error.message))
  let streams = 0
  let isLeaving = false
  const close = (): void => {
    reason = 'the agent is stopping'
    session.goaway()
    setTimeout(() => end(reason), goodbyeTime).unref()
  }
  const closeIfIdle = (): void => {
    if (isLeaving && streams === 0) close()
  }
  session.on('stream', (incoming, headers) => {
    if (headers[':method'] === 'CONNECT') {
      streams += 1
      incoming.once('close', () => {
        streams -= 1
        closeIfIdle()
      })
    }
    answer(incoming, headers, options)
  })
  const pings = startPings(session, options.pingEvery, () => end('the proxy does not answer'))
  session.once('close', () => {
    clearInterval(pings)
    stream.destroy()
    settle(reason)
  })
  return {
    closed,
    close,
    closeWhenIdle() {
      isLeaving = true
      closeIfIdle()
    },
  }
}

function startPings(session: ServerHttp2Session, every: number, onSilence: () => void): NodeJS.Timeout {
  let unanswered = 0
  return setInterval(() => {
    if (unanswered >= missLimit) return onSilence()
    unanswered += 1
    session.ping(() => {
      unanswered = 0
    })
  }, every).unref()
}

function answer(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, options: ServeOptions): void {
  stream.on('error', (error) => options.log.debug({ err: error }, 'a stream of the tunnel broke'))
  if (stream.destroyed) return
  const { ':method': method, ':path': path, ':authority': target = '' } = headers
  if (method === 'CONNECT') {
    const speak = options.spoken?.get(target)
    if (speak) {
      stream.respond({ ':status': 200 })
      return speak(stream)
    }
    const database = options.servesDatabases === true ? databaseOf(target) : undefined
    if (database !== undefined) return dial(stream, database)
    if (target !== ownSshTarget) return forward(stream, target, options)
    stream.respond({ ':status': 200 })
    const address = headers[clientAddressHeader]
    return options.accept(stream, typeof address === 'string' ? address : undefined)
  }
  if (method === 'GET' && path === agentPaths.heartbeats) return sendHeartbeats(stream, options)
  if (method === 'PUT' && path === agentPaths.cluster) return void takeNews(stream, options)
  if (method === 'POST' && path === agentPaths.again) {
    stream.respond({ ':status': 200 }, { endStream: true })
    return options.onAgain()
  }
  refuse(stream, 404, 'this agent does not know that request')
}

function refuse(stream: ServerHttp2Stream, status: number, reason: string): void {
  if (!stream.headersSent && !stream.destroyed) stream.respond({ ':status': status, [refusalHeader]: reason }, { endStream: true })
}

/** Only what the administrator of this machine listed is dialled, whatever the proxy asks for. */
function forward(stream: ServerHttp2Stream, target: string, { forward: allowed, log }: ServeOptions): void {
  if (!allowed.has(target)) {
    log.warn({ target }, 'the proxy asked for a target that this agent does not forward to')
    return refuse(stream, 403, 'this agent does not forward to that address; its administrator lists targets in agent.json')
  }
  dial(stream, target)
}

function dial(stream: ServerHttp2Stream, target: string): void {
  const at = target.lastIndexOf(':')
  const host = target.slice(0, at).replaceAll(/^\[|\]$/gu, '')
  const socket = connect({ host, port: Number(target.slice(at + 1)), allowHalfOpen: true, noDelay: true, timeout: dialTimeout })
  socket.once('timeout', () => socket.destroy(new Error('it does not answer')))
  socket.once('connect', () => {
    socket.setTimeout(0)
    if (stream.destroyed) return void socket.destroy()
    stream.respond({ ':status': 200 })
    socket.pipe(stream)
    stream.pipe(socket)
  })
  socket.once('error', (error) => {
    if (stream.headersSent) stream.close(constants.NGHTTP2_CONNECT_ERROR)
    else refuse(stream, 502, `${target} cannot be reached from the agent: ${error.message}`)
  })
  socket.once('close', () => stream.end())
  stream.once('close', () => socket.destroy())
}

function sendHeartbeats(stream: ServerHttp2Stream, { heartbeats }: ServeOptions): void {
  stream.respond({ ':status': 200 })
  const subscription = heartbeats.subscribe((heartbeat) => {
    // A proxy that does not read them misses some; the next one says it all again.
    if (stream.writableNeedDrain || stream.destroyed) return
    stream.write(`${JSON.stringify(heartbeat)}\n`)
  })
  stream.once('close', () => subscription[Symbol.dispose]())
}

async function takeNews(stream: ServerHttp2Stream, { onNews, log }: ServeOptions): Promise<void> {
  try {
    await onNews(clusterNewsWire.parse(JSON.parse(await readText(stream))))
    if (!stream.destroyed) stream.respond({ ':status': 200 }, { endStream: true })
  } catch (error) {
    log.warn({ err: error }, 'the news of the cluster could not be taken')
    refuse(stream, 400, error instanceof Error ? error.message.slice(0, 500) : 'the news could not be taken')
  }
}

async function readText(stream: ServerHttp2Stream): Promise<string> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > controlLineLimit) throw new Error('the news is too long')
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** The connection of an agent, or of a leaf cluster, after its handshake: HTTP/2 with the proxy as the client, in the direction in which it did not dial. */
import { connect, constants } from 'node:http2'
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2'
import type { Duplex } from 'node:stream'
import {
  agentPaths,
  clientAddressHeader,
  connectionWindow,
  controlLineLimit,
  frameSize,
  ownSshTarget,
  refusalHeader,
  streamWindow,
} from '@sallyport/wire/tunnel.ts'
import type { ClusterNews } from '@sallyport/wire/tunnel.ts'
import { connectionProblem } from '../errors.ts'
import { linesOf } from './lines.ts'

export interface AgentConnection {
  /** Resolves with the reason when it is over. */
  readonly closed: Promise<string>
  /** A stream to the agent's own SSH server, or to an address that it forwards to. Rejects with connection problem. */
  open(signal: AbortSignal, options?: { target?: string; clientAddress?: string | undefined }): Promise<Duplex>
  /** Tells news. Rejects with connection problem. */
  tell(news: ClusterNews, signal: AbortSignal): Promise<void>
  /** Posts a text to a path of the other side. Rejects with connection problem. */
  post(path: string, text: string, signal: AbortSignal): Promise<void>
  /** Asks the agent for another connection; it closes this one once nothing runs through it. Rejects with connection problem. */
  sendAway(signal: AbortSignal): Promise<void>
  /** Whether it answers within that time. */
  answers(within: number): Promise<boolean>
  close(reason: string): void
}

export interface AgentConnectionOptions<Heartbeat> {
  stream: Duplex
  /** Who is at the other end, in messages. */
  peer?: string
  /** Milliseconds between two pings. */
  pingEvery: number
  /** Throws for what is no heartbeat. */
  readHeartbeat: (json: unknown) => Heartbeat
  /** The next one is taken when it resolves. A rejection ends the connection. */
  onHeartbeat: (heartbeat: Heartbeat) => Promise<void>
}

const missLimit = 2
const openTimeout = 10_000
/** Megabytes; data that waits to be sent counts. */
const memoryLimit = 64
const headerLimit = 16 * 1024

export function connectAgent<Heartbeat>(options: AgentConnectionOptions<Heartbeat>): AgentConnection {
  const { stream, peer = 'agent', pingEvery, readHeartbeat, onHeartbeat } = options
  const { promise: closed, resolve: settle } = Promise.withResolvers<string>()
  const session = connect('http://agent', {
    createConnection: () => stream,
    settings: { enablePush: false, initialWindowSize: streamWindow, maxFrameSize: frameSize, maxHeaderListSize: headerLimit },
    maxSessionMemory: memoryLimit,
  })
  let reason = `the ${peer} closed the connection`
  const close = (because: string): void => {
    reason = because
    session.destroy()
    // A peer that does not answer never finishes the closing of a websocket.
    stream.destroy()
  }
  session.on('connect', () => session.setLocalWindowSize(connectionWindow))
  session.on('error', (error) => close(error.message))
  session.on('goaway', () => close(`the ${peer} is stopping`))
  // Sockets of the HTTP server stay half open when the peer is done.
  stream.once('end', () => close(`the ${peer} closed the connection`))
  const pings = startPings(session, pingEvery, () => close(`the ${peer} does not answer`))
  session.once('close', () => {
    clearInterval(pings)
    stream.destroy()
    settle(reason)
  })
  const heartbeats = async (): Promise<void> => {
    const answer = session.request({ ':method': 'GET', ':path': agentPaths.heartbeats })
    for await (const line of linesOf(answer, controlLineLimit)) await onHeartbeat(readHeartbeat(JSON.parse(line)))
    close(`the ${peer} stopped its heartbeats`)
  }
  const ask = (headers: OutgoingHttpHeaders, signal: AbortSignal, body?: string) => request(session, peer, headers, signal, body)
  const post = async (path: string, text: string, signal: AbortSignal): Promise<void> => {
    const { stream: answer } = await ask({ ':method': 'POST', ':path': path }, signal, text)
    answer.close()
  }
  heartbeats().catch((error: unknown) =>
    close(`the heartbeats of the ${peer} cannot be used: ${error instanceof Error ? error.message : ''}`),
  )

  return {
    closed,
    async open(signal, { target = ownSshTarget, clientAddress } = {}) {
      const headers = {
        ':method': 'CONNECT',
        ':authority': target,
        ...(clientAddress === undefined ? {} : { [clientAddressHeader]: clientAddress }),
      }
      return (await ask(headers, signal)).stream
    },
    async tell(news, signal) {
      const { stream: answer } = await ask({ ':method': 'PUT', ':path': agentPaths.cluster }, signal, JSON.stringify(news))
      answer.close()
    },
    post,
    sendAway: (signal) => post(agentPaths.again, '', signal),
    answers: (within) =>
      new Promise((resolve) => {
        const timer = setTimeout(() => resolve(false), within)
        const answered = (isAlive: boolean): void => {
          clearTimeout(timer)
          resolve(isAlive)
        }
        void closed.then(() => answered(false))
        if (session.destroyed || !session.ping((error) => answered(!error))) answered(false)
      }),
    close,
  }
}

/** A peer that has missed two pings in a row is gone; nothing else shows that it was frozen or cut off. */
function startPings(session: ClientHttp2Session, every: number, onSilence: () => void): NodeJS.Timeout {
  let unanswered = 0
  return setInterval(() => {
    if (unanswered >= missLimit) return onSilence()
    unanswered += 1
    session.ping(() => {
      unanswered = 0
    })
  }, every).unref()
}

/** Resolves when the other side has accepted. From then on `signal` has no effect. */
async function request(
  session: ClientHttp2Session,
  peer: string,
  headers: OutgoingHttpHeaders,
  signal: AbortSignal,
  body?: string,
): Promise<{ stream: ClientHttp2Stream }> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(openTimeout)])
  within.throwIfAborted()
  if (session.destroyed || session.closed) throw lost(peer)
  const stream = session.request(headers, { endStream: false })
  if (body !== undefined) stream.end(body)
  const stop = (): void => stream.close(constants.NGHTTP2_CANCEL)
  within.addEventListener('abort', stop, { once: true })
  try {
    const status = await new Promise<unknown>((resolve, reject) => {
      stream.once('response', (answer) => resolve(answer[':status'] === 200 ? 200 : answer[refusalHeader]))
      stream.once('error', reject)
      stream.once('close', () => reject(lost(peer)))
    })
    if (status !== 200) throw connectionProblem(`the ${peer} refused: ${typeof status === 'string' ? status : 'it does not say why'}`)
    return { stream }
  } catch (cause) {
    stream.on('error', () => {}) // told already
    stream.destroy()
    if (signal.aborted) throw signal.reason
    if (cause instanceof Error && cause.name === 'AppError') throw cause
    throw connectionProblem(`the ${peer} does not answer; check that it is running`, { cause })
  } finally {
    within.removeEventListener('abort', stop)
  }
}

const lost = (peer: string): Error => connectionProblem(`the connection to the ${peer} was lost; it comes back by itself`)

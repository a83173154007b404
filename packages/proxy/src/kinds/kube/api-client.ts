/** HTTP to the API server of one cluster, over streams that somebody else opens. Connections are kept and used again. */
import { Agent, request } from 'node:http'
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http'
import { isIP, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { callbackify } from 'node:util'
import { WebSocket } from 'ws'
import type { ApiCredentials } from './kubeconfig.ts'

export interface ApiEndpoint {
  /** Opens a stream to the server's port, or to an agent that speaks for us with credentials of its own. */
  dial: (signal: AbortSignal) => Promise<Duplex>
  /** Undefined: the other end of the stream adds them, and the stream carries plain HTTP. */
  credentials: ApiCredentials | undefined
}

export interface ApiClient extends Disposable {
  /** `path` with its query. Emits `error` when the server cannot be reached. */
  request(method: string, path: string, headers: OutgoingHttpHeaders, signal: AbortSignal): ClientRequest
  webSocket(path: string, protocols: readonly string[], headers: OutgoingHttpHeaders): WebSocket
}

/** To open a connection, with TLS. */
const dialTimeout = 15_000
/** So long a connection is kept that nobody uses; shorter than any API server does. */
const idleTimeout = 30_000
/** Larger messages are no output of a terminal. */
const messageLimit = 4 * 1024 * 1024

export function createApiClient({ dial, credentials }: ApiEndpoint): ApiClient {
  const server = credentials && new URL(credentials.server)
  const base = server?.pathname.replace(/\/$/, '') ?? ''
  const host = server?.host ?? 'kubernetes'
  const connections = new Connections(() => openConnection(dial, credentials))
  const own = (headers: OutgoingHttpHeaders): OutgoingHttpHeaders => ({
    ...headers,
    host,
    ...(credentials?.token !== undefined && { authorization: `Bearer ${credentials.token}` }),
  })
  return {
    request: (method, path, headers, signal) =>
      request({ agent: connections, method, path: base + path, headers: own(headers), setHost: false, signal }),
    webSocket: (path, protocols, headers) =>
      new WebSocket(`ws://kubernetes${base}${path}`, [...protocols], {
        agent: connections,
        headers: own(headers) as Record<string, string>,
        handshakeTimeout: 2 * dialTimeout,
        perMessageDeflate: false,
        maxPayload: messageLimit,
        skipUTF8Validation: true,
      }),
    [Symbol.dispose]: () => connections.destroy(),
  }
}

async function openConnection(dial: ApiEndpoint['dial'], credentials: ApiCredentials | undefined): Promise<Duplex> {
  const signal = AbortSignal.timeout(dialTimeout)
  const stream = await dial(signal)
  if (!credentials) return stream
  const { hostname } = new URL(credentials.server)
  const name = credentials.serverName ?? hostname.replaceAll(/[[\]]/g, '')
  const socket = connectTls({
    socket: stream,
    host: name,
    ...(isIP(name) === 0 && { servername: name }),
    ALPNProtocols: ['http/1.1'],
    ...(credentials.ca !== undefined && { ca: credentials.ca }),
    ...(credentials.certificate !== undefined && { cert: credentials.certificate, key: credentials.key }),
    rejectUnauthorized: credentials.insecure !== true,
  })
  const giveUp = (): void => void socket.destroy(new Error('the server did not finish the TLS handshake in time'))
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject)
      socket.once('close', () => reject(new Error('the server closed the connection during the TLS handshake')))
    })
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
  return socket
}

/** Waits for connections that take a while. */
class Connections extends Agent {
  readonly #open: () => Promise<Duplex>

  constructor(open: () => Promise<Duplex>) {
    super({ keepAlive: true, maxFreeSockets: 16, timeout: idleTimeout })
    this.#open = open
  }

  override createConnection(_options: unknown, callback?: (error: Error | null, stream: Duplex) => void): undefined {
    callbackify(this.#open)((error: Error | null, stream: Duplex) => callback?.(error, stream))
    return undefined
  }

  /** A stream through an agent costs next to nothing to open, and knows nothing of what is done to idle sockets. */
  override keepSocketAlive(stream: Duplex): boolean {
    return stream instanceof Socket && Boolean(super.keepSocketAlive(stream))
  }
}

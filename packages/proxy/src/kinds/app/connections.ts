/** Connections to one application, kept for what is asked next. They come from wherever the application is reached. */
import { Agent } from 'node:http'
import type { AgentOptions, ClientRequest, ClientRequestArgs } from 'node:http'
import { isIP, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { connectionProblem } from '../../core/errors.ts'

export interface Upstream {
  readonly uri: URL
  /** Take whatever certificate it shows. */
  readonly isInsecure: boolean
  /** An open byte stream to its address. Rejects with AppError. */
  dial(signal: AbortSignal): Promise<Duplex>
}

/** At once; browsers open six. */
const maxSockets = 64
/** Below what servers keep a connection for that nobody uses, so that it is not closed just as it is used again. */
const idleTime = 2000
const dialTimeout = 15_000

export async function openConnection(upstream: Upstream, signal: AbortSignal): Promise<Duplex> {
  const within = AbortSignal.any([signal, AbortSignal.timeout(dialTimeout)])
  const stream = await upstream.dial(within)
  return upstream.uri.protocol === 'https:' ? secure(stream, upstream, within) : stream
}

function secure(stream: Duplex, { uri, isInsecure }: Upstream, signal: AbortSignal): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const { hostname } = uri
    const socket = connectTls({
      socket: stream,
      rejectUnauthorized: !isInsecure,
      ALPNProtocols: ['http/1.1'],
      host: hostname,
      // A name is asked for; an address is none.
      ...(isIP(hostname.replace(/^\[|\]$/g, '')) === 0 && { servername: hostname }),
    })
    const settle = (): void => {
      signal.removeEventListener('abort', stop)
      socket.off('error', fail).off('secureConnect', done)
    }
    const done = (): void => {
      settle()
      resolve(socket)
    }
    const fail = (cause: unknown): void => {
      settle()
      socket.destroy()
      stream.destroy()
      const reason = cause instanceof Error ? cause.message : String(cause)
      reject(connectionProblem(`the application at ${uri.host} does not speak TLS as it should: ${reason}`, { cause }))
    }
    const stop = (): void => fail(signal.reason)
    socket.once('secureConnect', done).once('error', fail)
    signal.addEventListener('abort', stop, { once: true })
  })
}

/** Dispose of it by `destroy`, which cuts what is open. */
export class AppConnections extends Agent {
  readonly #upstream: Upstream
  readonly #over = new AbortController()
  readonly #idle = new WeakMap<Duplex, NodeJS.Timeout>()

  constructor(upstream: Upstream) {
    const options: AgentOptions = { keepAlive: true, maxSockets, maxFreeSockets: maxSockets, scheduling: 'lifo' }
    super(options)
    this.#upstream = upstream
  }

  get uri(): URL {
    return this.#upstream.uri
  }

  override createConnection(_options: ClientRequestArgs, done?: (error: Error | null, stream: Duplex) => void): undefined {
    if (done) void this.#connect(done)
  }

  async #connect(done: (error: Error | null, stream: Duplex) => void): Promise<void> {
    let stream: Duplex
    try {
      stream = asSocket(await openConnection(this.#upstream, this.#over.signal))
    } catch (error) {
      // Node's type has no place for the stream that is missing then.
      return (done as (error: unknown) => void)(error)
    }
    done(null, stream)
  }

  // Node keeps it when this answers so; its type does not say that it asks.
  override keepSocketAlive(socket: Duplex): boolean {
    const isKept: unknown = super.keepSocketAlive(socket)
    if (isKept === false) return false
    this.#idle.set(socket, setTimeout(() => socket.destroy(), idleTime).unref())
    return true
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    clearTimeout(this.#idle.get(socket))
    super.reuseSocket(socket, request)
  }

  override destroy(): void {
    this.#over.abort(new Error('the application session ended'))
    super.destroy()
  }
}

/** Node's client calls a few methods that only real sockets have. */
function asSocket(stream: Duplex): Duplex {
  if (stream instanceof Socket) return stream
  const same = (): Duplex => stream
  return Object.assign(stream, { setTimeout: same, setNoDelay: same, setKeepAlive: same, ref: same, unref: same })
}

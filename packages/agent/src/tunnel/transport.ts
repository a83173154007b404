/** How a tunnel gets to a proxy: by its own protocol over TLS, else by an upgrade of HTTP/1.1, else as a websocket. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'
import { createWebSocketStream, WebSocket } from 'ws'
import { handshakeTimeout, tunnelPath, tunnelProtocol } from '@sallyport/wire/tunnel.ts'
import { AgentError } from '../agent-error.ts'
import { connectProxy } from './proxy-socket.ts'
import type { Trust } from './proxy-socket.ts'

export type TransportKind = 'tls' | 'upgrade' | 'websocket'

export interface Transport {
  readonly kind: TransportKind
  readonly stream: Duplex
  /** What only the two ends of this TLS connection know; empty where TLS may end in between. */
  readonly binding: Uint8Array
}

/** The exporter of RFC 9266. */
const bindingLabel = 'EXPORTER-Channel-Binding'
const bindingBytes = 32
const buffered = 1024 * 1024
const none = new Uint8Array()

/** Rejects with AgentError. */
export async function openTransport(origin: string, trust: Trust, signal: AbortSignal): Promise<Transport> {
  const socket = await connectProxy(origin, trust, [tunnelProtocol, 'http/1.1'], signal)
  if (socket instanceof TLSSocket && socket.alpnProtocol === tunnelProtocol)
    return { kind: 'tls', stream: socket, binding: socket.exportKeyingMaterial(bindingBytes, bindingLabel, Buffer.alloc(0)) }
  const within = AbortSignal.any([signal, AbortSignal.timeout(handshakeTimeout)])
  const upgraded = await upgrade(origin, socket, within)
  if (upgraded) return { kind: 'upgrade', stream: upgraded, binding: none }
  const plain = await connectProxy(origin, trust, ['http/1.1'], signal)
  return { kind: 'websocket', stream: await openWebSocket(origin, plain, within), binding: none }
}

/** Undefined when something in between does not pass the upgrade on. */
async function upgrade(origin: string, socket: Duplex, signal: AbortSignal): Promise<Duplex | undefined> {
  const asked = request({
    path: tunnelPath,
    headers: { host: new URL(origin).host, connection: 'Upgrade', upgrade: tunnelProtocol },
    createConnection: () => socket,
    signal,
  })
  asked.end()
  try {
    const answer = await Promise.race([
      once(asked, 'upgrade').then(([, , head]) => head as Buffer),
      once(asked, 'response').then(() => undefined),
    ])
    if (answer === undefined) return void socket.destroy()
    if (answer.length > 0) socket.unshift(answer)
    return socket
  } catch (cause) {
    socket.destroy()
    if (signal.aborted) throw new AgentError(`The proxy ${origin} does not answer.`, { cause })
    return undefined
  }
}

async function openWebSocket(origin: string, socket: Duplex, signal: AbortSignal): Promise<Duplex> {
  const websocket = new WebSocket(new URL(tunnelPath, origin.replace('http', 'ws')), {
    createConnection: () => socket as never,
    perMessageDeflate: false,
  })
  // Before it opens: the first message may come together with the opening.
  const stream = createWebSocketStream(websocket, { readableHighWaterMark: buffered, writableHighWaterMark: buffered })
  // A peer that does not answer any more would keep a polite closing waiting.
  stream.once('close', () => websocket.terminate())
  stream.on('error', () => {}) // whoever waits for the stream learns of it
  const abort = (): void => websocket.terminate()
  signal.addEventListener('abort', abort, { once: true })
  try {
    await once(websocket, 'open')
    return stream
  } catch (cause) {
    throw new AgentError(
      `${origin} answers, but not as a proxy of ours: check the address, and that what stands in between passes websockets on.`,
      { cause },
    )
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

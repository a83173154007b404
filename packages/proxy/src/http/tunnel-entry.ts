/**
 * Where agents' connections come in, on the port of everything else: by their own ALPN protocol, else by an upgrade of
 * HTTP/1.1 where something between speaks only that, else as a websocket.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { frameSize, tunnelPath, tunnelProtocol } from '@sallyport/wire/tunnel.ts'
import type { AgentTunnels } from '../core/tunnel/agent-tunnels.ts'
import { stripVersion } from './server.ts'

/** The exporter of RFC 9266: both ends of one TLS connection know it, and nobody in between. */
const bindingLabel = 'EXPORTER-Channel-Binding'
const bindingBytes = 32
const buffered = 1024 * 1024
const messageLimit = 16 * frameSize

export interface TunnelEntry {
  /** Whether this upgrade is an agent's. If so it is served. */
  takes(request: IncomingMessage, connection: Duplex, head: Buffer): boolean
}

export function serveTunnels(server: Server, tunnels: Pick<AgentTunnels, 'accept'>): TunnelEntry {
  const websockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: messageLimit })
  divertByProtocol(server, (socket) => {
    socket.setNoDelay(true)
    const binding = socket.exportKeyingMaterial(bindingBytes, bindingLabel, Buffer.alloc(0))
    tunnels.accept({ stream: socket, address: addressOf(socket), binding })
  })
  return {
    takes(request, connection, head) {
      if (stripVersion(request.url ?? '') !== stripVersion(tunnelPath)) return false
      const address = addressOf(request.socket)
      request.socket.setNoDelay(true)
      if (request.headers.upgrade?.toLowerCase() === tunnelProtocol) {
        connection.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${tunnelProtocol}\r\n\r\n`)
        if (head.length > 0) connection.unshift(head)
        tunnels.accept({ stream: connection, address })
      } else {
        websockets.handleUpgrade(request, connection, head, (socket) => {
          const stream = createWebSocketStream(socket, { readableHighWaterMark: buffered, writableHighWaterMark: buffered })
          // A peer that does not answer any more would keep a polite closing waiting.
          stream.once('close', () => socket.terminate())
          tunnels.accept({ stream, address })
        })
      }
      return true
    },
  }
}

const addressOf = (socket: { remoteAddress?: string | undefined; remotePort?: number | undefined }): string =>
  `${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`

/** Connections that speak the tunnel's protocol never reach the HTTP parser. */
function divertByProtocol(server: Server, accept: (socket: TLSSocket) => void): void {
  const others = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol === tunnelProtocol) accept(socket)
    else for (const listener of others) Reflect.apply(listener, server, [socket])
  })
}

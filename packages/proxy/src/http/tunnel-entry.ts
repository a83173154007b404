/**
 * Where connections of agents and of leaf clusters come in, on the port of everything else: by their own ALPN protocol,
 * else by an upgrade of HTTP/1.1 where something between speaks only that, else, for agents, as a websocket.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { linkPath, linkProtocol } from '@sallyport/wire/cluster-link.ts'
import { frameSize, tunnelPath, tunnelProtocol } from '@sallyport/wire/tunnel.ts'
import type { AgentTunnels } from '../core/tunnel/agent-tunnels.ts'
import { channelBinding } from '../core/tunnel/channel-binding.ts'
import type { ClusterLinks } from '../core/trusted-clusters/cluster-links.ts'
import { stripVersion } from './server.ts'

const buffered = 1024 * 1024
const messageLimit = 16 * frameSize

export interface TunnelEntry {
  /** Whether this upgrade is an agent's or a leaf's. If so it is served. */
  takes(request: IncomingMessage, connection: Duplex, head: Buffer): boolean
}

type Acceptor = Pick<AgentTunnels & ClusterLinks, 'accept'>

export function serveTunnels(server: Server, { agents, leaves }: { agents: Acceptor; leaves: Acceptor }): TunnelEntry {
  const websockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: messageLimit })
  const entries = [
    { protocol: tunnelProtocol, path: stripVersion(tunnelPath), to: agents },
    { protocol: linkProtocol, path: stripVersion(linkPath), to: leaves },
  ]
  divertByProtocol(server, (socket) => {
    const entry = entries.find(({ protocol }) => protocol === socket.alpnProtocol)
    if (!entry) return false
    socket.setNoDelay(true)
    entry.to.accept({ stream: socket, address: addressOf(socket), binding: channelBinding(socket) })
    return true
  })
  return {
    takes(request, connection, head) {
      const entry = entries.find(({ path }) => path === stripVersion(request.url ?? ''))
      if (!entry) return false
      const { protocol, to } = entry
      const address = addressOf(request.socket)
      request.socket.setNoDelay(true)
      if (request.headers.upgrade?.toLowerCase() === protocol) {
        connection.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`)
        if (head.length > 0) connection.unshift(head)
        to.accept({ stream: connection, address })
      } else {
        if (to === leaves) return false
        websockets.handleUpgrade(request, connection, head, (socket) => {
          const stream = createWebSocketStream(socket, { readableHighWaterMark: buffered, writableHighWaterMark: buffered })
          // A peer that does not answer any more would keep a polite closing waiting.
          stream.once('close', () => socket.terminate())
          to.accept({ stream, address })
        })
      }
      return true
    },
  }
}

const addressOf = (socket: { remoteAddress?: string | undefined; remotePort?: number | undefined }): string =>
  `${socket.remoteAddress ?? ''}:${socket.remotePort ?? 0}`

/** Connections that speak a protocol of ours never reach the HTTP parser. */
function divertByProtocol(server: Server, takes: (socket: TLSSocket) => boolean): void {
  const others = server.listeners('secureConnection')
  server.removeAllListeners('secureConnection')
  server.on('secureConnection', (socket: TLSSocket) => {
    if (!takes(socket)) for (const listener of others) Reflect.apply(listener, server, [socket])
  })
}

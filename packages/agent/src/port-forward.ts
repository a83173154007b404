import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import type { AcceptConnection, RejectConnection, ServerChannel, TcpipRequestInfo } from 'ssh2'

const connectTimeout = 10_000

/** Connects to where a client wants to, as this machine sees it. */
export function forwardPort(
  accept: AcceptConnection<ServerChannel>,
  reject: RejectConnection,
  { destIP, destPort }: TcpipRequestInfo,
): void {
  const socket = connect({ host: destIP, port: destPort, allowHalfOpen: true, noDelay: true, timeout: connectTimeout })
  const refuse = (): void => {
    socket.destroy()
    reject()
  }
  socket.once('timeout', refuse).once('error', refuse)
  socket.once('connect', () => {
    socket.off('timeout', refuse).off('error', refuse).setTimeout(0)
    joinStreams(accept(), socket)
  })
}

/** Both ways, each at the pace of its reader, and each end on its own. */
export function joinStreams(channel: ServerChannel | undefined, stream: Duplex): void {
  if (!channel) return void stream.destroy()
  channel.on('error', () => stream.destroy())
  stream.on('error', () => channel.destroy())
  channel.pipe(stream)
  stream.pipe(channel, { end: false })
  // The channel's own end() would close it for both directions.
  stream.once('end', () => Reflect.apply(Reflect.get(channel, 'eof'), channel, []))
  stream.once('close', () => channel.destroy())
  channel.once('close', () => stream.destroy())
}

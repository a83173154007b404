import type { Duplex } from 'node:stream'
import type { ServerChannel } from 'ssh2'

/** Both ways, each at the pace of its reader, and each end on its own. */
export function joinChannel(channel: ServerChannel, stream: Duplex): void {
  channel.on('error', () => stream.destroy())
  stream.on('error', () => channel.destroy())
  channel.pipe(stream)
  stream.pipe(channel, { end: false })
  // The channel's own end() would close it for both directions.
  stream.once('end', () => Reflect.apply(Reflect.get(channel, 'eof'), channel, []))
  stream.once('close', () => channel.destroy())
  channel.once('close', () => stream.destroy())
}

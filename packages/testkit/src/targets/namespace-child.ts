/**
 * Runs alone in a network namespace: what connects to its port here comes out of a Unix socket, whose other end is in the
 * world outside. Nothing gets in. Says its ports on standard output.
 */
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo } from 'node:net'

const [way = ''] = process.argv.slice(2)
const outward = createServer((socket) => {
  const relay = connect(way)
  socket.pipe(relay).pipe(socket)
  for (const [one, other] of [
    [socket, relay],
    [relay, socket],
  ] as const)
    one.on('error', () => {}).once('close', () => other.destroy())
})
const inner = createServer((socket) => socket.end('from inside the namespace'))
for (const server of [outward, inner]) await once(server.listen(0, '127.0.0.1'), 'listening')
const portOf = (server: typeof outward): number => (server.address() as AddressInfo).port
process.stdout.write(`${JSON.stringify({ outward: portOf(outward), inner: portOf(inner) })}\n`)

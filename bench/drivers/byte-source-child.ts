/** A TCP server: after an `f` it sends 512 MB, after an `e` it sends back whatever comes. Tells its port. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { floodBytes } from './flood-bytes.ts'

const piece = Buffer.alloc(64 * 1024)

async function flood(socket: Socket): Promise<void> {
  for (let sent = 0; sent < floodBytes; sent += piece.length) if (!socket.write(piece)) await once(socket, 'drain')
  socket.end()
}

if (process.send) {
  const ended = once(process, 'disconnect')
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.once('data', (first: Buffer) => {
      if (first[0] === 0x66) flood(socket).catch(() => socket.destroy())
      else {
        if (first.length > 1) socket.unshift(first.subarray(1))
        socket.pipe(socket)
      }
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.send((server.address() as AddressInfo).port)
  await ended
  process.exit()
}

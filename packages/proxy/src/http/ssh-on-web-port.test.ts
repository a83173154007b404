import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { createConnection } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { serveSshOnWebPort } from './ssh-on-web-port.ts'

let server: Server
let ssh: Socket[] = []
let arrivals: Disposable
const connect = async (): Promise<Socket> => {
  const socket = createConnection((server.address() as AddressInfo).port, '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

beforeEach(async () => {
  ssh = []
  server = createServer((request, response) => void text(request).then((body) => response.end(`${request.method} ${body}`)))
  arrivals = serveSshOnWebPort(server, (socket) => ssh.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  arrivals[Symbol.dispose]()
  for (const socket of ssh) socket.destroy()
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

test('who begins with SSH- is handed over with all that was said, in however many pieces', async () => {
  const socket = await connect()
  socket.setNoDelay(true)
  for (const piece of ['S', 'SH', '-2.0-x\r\n']) {
    socket.write(piece)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await expect.poll(() => ssh.length).toBe(1)
  let heard = ''
  ssh[0]?.on('data', (bytes: Buffer) => (heard += bytes.toString()))
  await expect.poll(() => heard).toBe('SSH-2.0-x\r\n')
  socket.destroy()
})

test('everybody else is answered over HTTP, also a method that begins alike, while others stay silent', async () => {
  const silent = await Promise.all(Array.from({ length: 20 }, connect))
  const { port } = server.address() as AddressInfo
  for (const method of ['POST', 'SEARCH'])
    expect(await (await fetch(`http://127.0.0.1:${port}/`, { method, body: 'x'.repeat(100_000) })).text()).toBe(
      `${method} ${'x'.repeat(100_000)}`,
    )
  expect(ssh).toEqual([])
  const gone = silent.map((socket) => once(socket, 'close'))
  arrivals[Symbol.dispose]()
  await Promise.all(gone)
})

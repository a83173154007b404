import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { connect } from 'node:tls'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readServerName } from './server-name.ts'

/** What a real client sends first. */
async function greeting(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection') as Promise<[Socket]>
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', servername })
  client.on('error', () => undefined)
  const [socket] = await accepted
  const [bytes] = (await once(socket, 'data')) as [Buffer]
  client.destroy()
  socket.destroy()
  server.close()
  return bytes
}

test('the name that a client asks for is read from its greeting', async () => {
  const bytes = await greeting('kubernetes.sallyport.internal')
  expect(readServerName(bytes)).toEqual({ kind: 'name', name: 'kubernetes.sallyport.internal' })
})

test('a greeting that is cut anywhere is waited for, also when it comes in several records', async () => {
  const bytes = await greeting('console.example.com')
  for (let length = 0; length < bytes.length; length += 1)
    expect(readServerName(bytes.subarray(0, length)), String(length)).toEqual({ kind: 'more' })
  const body = bytes.subarray(5)
  const record = (part: Buffer): Buffer => Buffer.concat([Buffer.of(22, 3, 1, part.length >> 8, part.length & 255), part])
  const single = Buffer.concat(Array.from(body, (byte) => record(Buffer.of(byte))))
  expect(readServerName(single)).toEqual({ kind: 'name', name: 'console.example.com' })
  const split = Buffer.concat([record(body.subarray(0, 3)), record(body.subarray(3, 50)), record(body.subarray(50))])
  expect(readServerName(split)).toEqual({ kind: 'name', name: 'console.example.com' })
})

test('what is no greeting names nobody, and hostile bytes do no harm', () => {
  expect(readServerName(Buffer.from('GET / HTTP/1.1\r\n'))).toEqual({ kind: 'none' })
  expect(readServerName(Buffer.of(22, 3, 1, 0, 4, 2, 0, 0, 0))).toEqual({ kind: 'none' })
  expect(readServerName(Buffer.of(22, 3, 1, 0, 4, 1, 255, 255, 255))).toEqual({ kind: 'none' })
  // One that never ends is not waited for beyond what a client sends.
  expect(readServerName(Buffer.alloc(16 * 1024 + 6, Buffer.of(22, 3, 1, 0, 0)))).toEqual({ kind: 'none' })
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (tail) => {
      const { kind } = readServerName(Uint8Array.of(22, 3, 1, 1, 0, 1, 0, 0, 252, ...tail))
      expect(['name', 'more', 'none']).toContain(kind)
    }),
  )
})

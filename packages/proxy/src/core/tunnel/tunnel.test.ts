import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { memoryStreamPair } from './memory-stream.ts'
import { createTunnels, inProcessRoute, tcpRoute } from './tunnel.ts'

const signal = (): AbortSignal => AbortSignal.timeout(5000)

test('only a registered host is reached, until it is taken back', async () => {
  const tunnels = createTunnels()
  {
    using _registration = tunnels.register(
      'here',
      inProcessRoute((stream) => stream.end('hello')),
    )
    expect(tunnels.isConnected('here')).toBe(true)
    expect(await text(await tunnels.dial({ hostId: 'here' }, signal()))).toBe('hello')
    await expect(tunnels.dial({ hostId: '127.0.0.1:22' }, signal())).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('"127.0.0.1:22"'),
    })
  }
  expect(tunnels.isConnected('here')).toBe(false)
  await expect(tunnels.dial({ hostId: 'here' }, signal())).rejects.toMatchObject({ code: 'not_found' })
})

test('who is not connected is named by its host name, and it is said when another proxy hears from it', async () => {
  const names = new Map([
    ['a', 'web-1'],
    ['b', 'web-2'],
  ])
  const tunnels = createTunnels({
    node: (id) => {
      const hostname = names.get(id)
      return hostname === undefined ? undefined : { hostname }
    },
    isElsewhere: (id) => id === 'b',
  })
  const dial = (hostId: string) => tunnels.dial({ hostId }, signal())
  await expect(dial('a')).rejects.toThrow('server "web-1" is not connected; check that its agent is running')
  await expect(dial('b')).rejects.toThrow(
    'server "web-2" is connected to another proxy of this cluster and not to this one; connect through',
  )
  await expect(dial('c')).rejects.toThrow('server "c" is not connected')
})

test('a host that registers again replaces itself; the earlier registration takes nothing away', async () => {
  const tunnels = createTunnels()
  const first = tunnels.register(
    'host',
    inProcessRoute((stream) => stream.end('first')),
  )
  tunnels.register(
    'host',
    inProcessRoute((stream) => stream.end('second')),
  )
  first[Symbol.dispose]()
  expect(await text(await tunnels.dial({ hostId: 'host' }, signal()))).toBe('second')
})

test('a server is dialled by its address, and a dial can be given up', async () => {
  const server = createServer((socket) => socket.end('over TCP'))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const tunnels = createTunnels()
  tunnels.register('tcp', tcpRoute({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }))
  expect(await text(await tunnels.dial({ hostId: 'tcp' }, signal()))).toBe('over TCP')
  await expect(tunnels.dial({ hostId: 'tcp' }, AbortSignal.abort())).rejects.toThrow()
  const controller = new AbortController()
  const dialled = tunnels.dial({ hostId: 'tcp' }, controller.signal)
  controller.abort()
  await expect(dialled).rejects.toMatchObject({ code: 'connection_problem' })
})

test('in memory, every byte arrives in order, and no faster than it is read', async () => {
  const [near, far] = memoryStreamPair()
  const total = 8 * 1024 * 1024
  const bytes = Buffer.alloc(total)
  for (let at = 0; at < total; at += 4) bytes.writeUInt32BE(at, at)
  let written = 0
  const write = async (stream: Duplex): Promise<void> => {
    for (let at = 0; at < total; at += 10_000) {
      const piece = bytes.subarray(at, at + 10_000)
      written += piece.length
      if (!stream.write(piece)) await once(stream, 'drain')
    }
    stream.end()
  }
  const writing = write(near)
  await new Promise((resolve) => setImmediate(resolve))
  expect(written).toBeLessThan(2 * 1024 * 1024)
  expect((await buffer(far)).equals(bytes)).toBe(true)
  await writing
})

test('in memory, nothing arrives inside the call that writes it', async () => {
  const [near, far] = memoryStreamPair()
  const order: string[] = []
  far.on('data', (data: Buffer) => order.push(data.toString()))
  await new Promise((resolve) => setImmediate(resolve))
  near.write('one')
  order.push('written')
  await new Promise((resolve) => setImmediate(resolve))
  expect(order).toEqual(['written', 'one'])
})

test('in memory, an end that closes or breaks takes the other along', async () => {
  const [near, far] = memoryStreamPair()
  near.end('last')
  expect(await text(far)).toBe('last')
  near.resume()
  for (const end of [near, far]) if (!end.closed) await once(end, 'close')
  const [left, right] = memoryStreamPair()
  left.destroy()
  await once(right, 'close')
  expect(right.destroyed).toBe(true)
})

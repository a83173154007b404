import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { measureLatency } from './latency.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }))
afterEach(() => void vi.useRealTimers())

/** The socket as far as it is used here; the browser answers a ping after `delay`. */
class BrowserSocket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  pings = 0
  delay = 40
  ping(data: Buffer): void {
    this.pings += 1
    setTimeout(() => this.emit('pong', data), this.delay)
  }
  close(): void {
    this.readyState = 3
    this.emit('close')
  }
}

function start(toHost: () => Promise<number | undefined> = () => Promise.resolve(7.04)) {
  const socket = new BrowserSocket()
  const told: { ws: number; ssh: number }[] = []
  measureLatency(socket as unknown as WebSocket, toHost, (latency) => told.push(latency))
  return { socket, told }
}

test('both legs are told after a second and then about every five', async () => {
  const { socket, told } = start()
  await vi.advanceTimersByTimeAsync(1_040)
  expect(told).toEqual([{ ws: 40, ssh: 7 }])
  socket.delay = 90
  await vi.advanceTimersByTimeAsync(5_090)
  expect(told.slice(1)).toEqual([{ ws: 90, ssh: 7 }])
})

test('a leg that does not answer is not asked again, and nothing is told', async () => {
  const { socket, told } = start(() => new Promise(() => undefined))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual([])
  expect(socket.pings).toBe(1)
})

test("a pong of somebody else's ping counts for nothing, and a closed socket is left alone", async () => {
  const { socket, told } = start()
  socket.delay = 1e9
  await vi.advanceTimersByTimeAsync(1_000)
  socket.emit('pong', Buffer.from('other'))
  await vi.advanceTimersByTimeAsync(10)
  expect(told).toEqual([])
  socket.close()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(told).toEqual([])
  expect(socket.pings).toBe(1)
  expect(socket.listenerCount('pong')).toBe(0)
})

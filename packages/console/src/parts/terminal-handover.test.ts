import { expect, test } from 'vitest'
import { handOver, handoverLimit, takeOver } from './terminal-handover.ts'

function memory(): Storage {
  const values = new Map<string, string>()
  return {
    get length() {
      return values.size
    },
    clear: () => values.clear(),
    getItem: (key) => values.get(key) ?? null,
    key: (index) => [...values.keys()][index] ?? null,
    removeItem: (key) => void values.delete(key),
    setItem: (key, value) => void values.set(key, value),
  }
}
const target = (serverId: string) => ({ clusterId: 'home', serverId, login: 'ann' })
const ticketOf = (address: string) => new URL(address, 'http://localhost').searchParams.get('open') ?? ''

test('what is handed over is taken once', () => {
  const storage = memory()
  const address = handOver(storage, 'home', [target('a'), target('b')], 1000)
  expect(address).toMatch(/^\/web\/cluster\/home\/console\?open=/)
  expect(takeOver(storage, ticketOf(address), 2000)).toEqual([target('a'), target('b')])
  expect(takeOver(storage, ticketOf(address), 2000)).toEqual([])
  expect(storage.length).toBe(0)
})

test('an unknown ticket, an old one and too many terminals open nothing', () => {
  const storage = memory()
  expect(takeOver(storage, 'unknown')).toEqual([])
  expect(takeOver(storage, ticketOf(handOver(storage, 'home', [target('a')], 0)), 60_000)).toEqual([])
  const many = Array.from({ length: handoverLimit + 1 }, (_, index) => target(String(index)))
  expect(takeOver(storage, ticketOf(handOver(storage, 'home', many, 0)), 1)).toEqual([])
})

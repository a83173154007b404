import { activeSessionWire } from '@sallyport/wire/entities/session-tracker.ts'
import { expect, test } from 'vitest'
import { wordsIn } from '../../parts/list/words-in.ts'
import { textOf, toSessionRow } from './session-row.ts'

const wire = activeSessionWire.parse({
  kind: 'ssh',
  id: 'a1',
  created: '2026-11-21T10:00:00Z',
  cluster_name: 'home',
  server_hostname: 'web-1',
  server_addr: '10.0.0.7:3022',
  login: 'root',
  owner: 'ann',
  parties: [
    { id: '1', user: 'ann' },
    { id: '2', user: 'bob' },
    { id: '3', user: 'bob' },
  ],
})

test('a server that says no more than usual: the session runs, and whether it may be ended is not known', () => {
  expect(toSessionRow(wire, 'asked', Date.parse('2026-11-21T10:04:00Z'))).toMatchObject({
    owner: 'ann',
    users: ['ann', 'bob'],
    runs: 240_000,
    state: 'running',
    waitingFor: '',
    mayEnd: undefined,
    participantModes: [],
  })
})

test('a row is found by address, id, cluster, name, people and login, all words together', () => {
  const row = toSessionRow(wire, 'asked', 0)
  const found = (text: string) => wordsIn(text, textOf)?.(row)
  for (const words of ['10.0.0.7', 'a1', 'home', 'web-1 bob', 'root']) expect(found(words)).toBe(true)
  expect(found('web-1 carol')).toBe(false)
  expect(found('3022')).toBe(false)
})
test('a session of which a proxy tells little is in the cluster that was asked', () => {
  const wire = activeSessionWire.parse({ kind: 'ssh', id: 's' })
  expect(toSessionRow(wire, 'asked', 0)).toMatchObject({ clusterId: 'asked', runs: undefined, state: 'running', users: [] })
})

import { expect, test } from 'vitest'
import { ConsoleTabs } from './console-tabs.ts'
import { keepTabs, keptTabs } from './kept-tabs.ts'

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

const facts = {
  sid: 's-1',
  clusterId: 'home',
  login: 'ann',
  hostname: 'web-1',
  serverId: 'a',
  owner: 'ann',
  moderated: false,
  recorded: true,
  created: '2026-11-21T10:00:00Z',
}

test('terminals come back in their order with name, colour and session; the picker does not', () => {
  const storage = memory()
  const tabs = new ConsoleTabs()
  tabs.openPicker('home')
  const one = tabs.openTerminal({ kind: 'new', clusterId: 'home', serverId: 'a', login: 'ann' })
  tabs.openTerminal({ kind: 'join', clusterId: 'home', sid: 's-2', mode: 'observer' })
  tabs.mark(one.id, { name: 'web', colour: 'green' })
  tabs.update(one.id, { phase: 'connected', facts, programTitle: 'vim', parties: ['ann'] })
  keepTabs(storage, 'ann', tabs.store.get().tabs)
  expect(keptTabs(storage, 'ann')).toEqual([
    { target: { kind: 'new', clusterId: 'home', serverId: 'a', login: 'ann' }, facts, name: 'web', colour: 'green' },
    { target: { kind: 'join', clusterId: 'home', sid: 's-2', mode: 'observer' } },
  ])
})

test("another person's tabs, damaged ones and none are nothing", () => {
  const storage = memory()
  const tabs = new ConsoleTabs()
  tabs.openTerminal({ kind: 'new', clusterId: 'home', serverId: 'a', login: 'ann' })
  keepTabs(storage, 'ann', tabs.store.get().tabs)
  expect(keptTabs(storage, 'ben')).toEqual([])
  const key = storage.key(0) ?? ''
  storage.setItem(key, '{"user":"ann","tabs":[{"target":{"kind":"new"}}]}')
  expect(keptTabs(storage, 'ann')).toEqual([])
  storage.setItem(key, 'no JSON')
  expect(keptTabs(storage, 'ann')).toEqual([])
  keepTabs(storage, 'ann', [])
  expect(storage.length).toBe(0)
})

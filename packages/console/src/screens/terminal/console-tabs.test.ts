import { expect, test } from 'vitest'
import { canType, closeQuestion, ConsoleTabs, tabTitle } from './console-tabs.ts'
import type { SessionTarget } from './session-address.ts'
import type { SessionFacts } from './session-state.ts'

const server = (serverId: string): SessionTarget => ({ kind: 'new', clusterId: 'home', serverId, login: 'ann' })
const facts: SessionFacts = {
  sid: 's-1',
  clusterId: 'home',
  login: 'ann',
  hostname: 'web-1',
  serverId: 'a',
  owner: 'ann',
  moderated: false,
  created: '',
}

test('a new tab is shown; the picker exists once', () => {
  const tabs = new ConsoleTabs()
  const first = tabs.openPicker('home')
  tabs.openTerminal(server('a'))
  expect(tabs.openPicker('leaf').id).toBe(first.id)
  expect(tabs.store.get().tabs.map(({ kind, clusterId }) => `${kind} ${clusterId}`)).toEqual(['picker leaf', 'terminal home'])
  expect(tabs.store.get().activeId).toBe(first.id)
})

test('an address finds its tab: a running session by its id, a server only until its session runs', () => {
  const tabs = new ConsoleTabs()
  const tab = tabs.openTerminal(server('a'))
  expect(tabs.find(server('a'))?.id).toBe(tab.id)
  tabs.update(tab.id, { phase: 'connected', facts })
  expect(tabs.find(server('a'))).toBeUndefined()
  expect(tabs.find({ kind: 'join', clusterId: 'home', sid: 's-1' })?.id).toBe(tab.id)
  expect(tabs.find({ kind: 'join', clusterId: 'leaf', sid: 's-1' })).toBeUndefined()
})

test('closing the shown tab shows its right neighbour, at the end its left one; closing another changes nothing', () => {
  const tabs = new ConsoleTabs()
  const [a, b, c] = [tabs.openTerminal(server('a')), tabs.openTerminal(server('b')), tabs.openTerminal(server('c'))]
  tabs.activate(b.id)
  tabs.close(b.id)
  expect(tabs.store.get().activeId).toBe(c.id)
  tabs.close(c.id)
  expect(tabs.store.get().activeId).toBe(a.id)
  tabs.close('unknown')
  tabs.close(a.id)
  expect(tabs.store.get()).toMatchObject({ tabs: [] })
  expect(tabs.store.get().activeId).toBeUndefined()
})

test('tabs move within their strip and never out of it', () => {
  const tabs = new ConsoleTabs()
  const [a, b, c] = [tabs.openTerminal(server('a')), tabs.openTerminal(server('b')), tabs.openTerminal(server('c'))]
  const order = () => tabs.store.get().tabs.map(({ id }) => id)
  tabs.move(a.id, 1)
  expect(order()).toEqual([b.id, a.id, c.id])
  tabs.move(c.id, 99)
  tabs.move(c.id, -5)
  expect(order()).toEqual([c.id, b.id, a.id])
})

test('output marks a tab in the background until it is shown', () => {
  const tabs = new ConsoleTabs()
  const [a, b] = [tabs.openTerminal(server('a')), tabs.openTerminal(server('b'))]
  tabs.markOutput(b.id)
  tabs.markOutput(a.id)
  expect(tabs.store.get().tabs).toMatchObject([{ unread: true }, { unread: false }])
  tabs.activate(a.id)
  expect(tabs.store.get().tabs).toMatchObject([{ unread: false }, { unread: false }])
})

test('closing asks only for a live session older than 30 s, and names the consequence', () => {
  const tabs = new ConsoleTabs()
  const { id } = tabs.openTerminal(server('a'))
  const question = (now: number) => closeQuestion(tabs.get(id) ?? expect.fail(), now)
  expect(question(100_000)).toBeUndefined()
  tabs.update(id, { phase: 'connected', facts, liveSince: 0 })
  expect(question(29_999)).toBeUndefined()
  expect(question(30_000)).toBe('end')
  tabs.update(id, { parties: ['ann', 'bob'] })
  expect(question(30_000)).toBe('leave')
  tabs.update(id, { phase: 'disconnected' })
  expect(question(30_000)).toBeUndefined()
})

test('a title is login@host, known or asked for', () => {
  const tabs = new ConsoleTabs()
  const { id } = tabs.openTerminal(server('a'))
  expect(tabTitle(tabs.get(id) ?? expect.fail())).toBe('ann@a')
  tabs.update(id, { facts })
  expect(tabTitle(tabs.get(id) ?? expect.fail())).toBe('ann@web-1')
})

test('no title shows an id: what a list has told stands there, else nothing that looks like a name', () => {
  const id = '5c0b7a3e-4b5d-4f0e-9d0c-2f6f0e9b1a11'
  const join: SessionTarget = { kind: 'join', clusterId: 'home', sid: id }
  const unknown = new ConsoleTabs()
  expect(tabTitle(unknown.openTerminal(server(id)))).toBe('ann@…')
  expect(tabTitle(unknown.openTerminal(join))).toBe('Session')
  const told = new ConsoleTabs((target) => (target.kind === 'new' ? 'ann@web-7' : undefined))
  expect(tabTitle(told.openTerminal(server(id)))).toBe('ann@web-7')
  expect(tabTitle(told.openTerminal(join))).toBe('Session')
})

test('a name and a colour of the viewer hold until they are taken away', () => {
  const tabs = new ConsoleTabs()
  const { id } = tabs.openTerminal(server('a'))
  tabs.mark(id, { name: 'database', colour: 'red' })
  expect(tabs.get(id)).toMatchObject({ name: 'database', colour: 'red' })
  expect(tabTitle(tabs.get(id) ?? expect.fail())).toBe('database')
  tabs.mark(id, { name: undefined, colour: undefined })
  expect(tabs.get(id)).not.toHaveProperty('name')
  expect(tabs.get(id)).not.toHaveProperty('colour')
})

test('tabs that come back keep who they are, and none of them is shown', () => {
  const tabs = new ConsoleTabs()
  const shown = tabs.openTerminal(server('a'))
  const [back] = tabs.addTerminals([{ target: server('b'), facts, name: 'web', colour: 'blue' }])
  expect(back).toMatchObject({ phase: 'connecting', name: 'web', colour: 'blue', facts, unread: false })
  expect(tabs.store.get().activeId).toBe(shown.id)
})

test('keys are taken by live sessions that the viewer does not only watch', () => {
  const tabs = new ConsoleTabs()
  const { id } = tabs.openTerminal({ kind: 'join', clusterId: 'home', sid: 's-1', mode: 'observer' })
  const peer = tabs.openTerminal(server('a')).id
  for (const one of [id, peer]) tabs.update(one, { phase: 'connected', facts })
  expect(tabs.store.get().tabs.filter(canType)).toEqual([tabs.get(peer)])
})

import { expect, test } from 'vitest'
import { documentOf, tabPath } from './console-document.ts'
import type { TerminalTab } from './console-tabs.ts'

const sid = '5c0b7a3e-4b5d-4f0e-9d0c-2f6f0e9b1a11'

test('each console address is a document; others are none', () => {
  expect(documentOf('/web/cluster/home/console', '')).toEqual({ kind: 'blank', clusterId: 'home' })
  expect(documentOf('/web/cluster/home/console/nodes', '')).toEqual({ kind: 'picker', clusterId: 'home' })
  expect(documentOf('/web/cluster/home/console/node/n%2F1/ann', '')).toMatchObject({
    target: { kind: 'new', serverId: 'n/1', login: 'ann' },
  })
  expect(documentOf(`/web/cluster/home/console/session/${sid}`, '?mode=moderator')).toMatchObject({
    target: { kind: 'join', sid, mode: 'moderator' },
  })
  expect(documentOf('/web/cluster/home/nodes', '')).toBeUndefined()
})

test('a mode that does not exist is left to the proxy', () => {
  expect(documentOf(`/web/cluster/home/console/session/${sid}`, '?mode=owner')).toEqual({
    kind: 'terminal',
    clusterId: 'home',
    target: { kind: 'join', clusterId: 'home', sid },
  })
})

test('a tab takes the address of its session once it runs', () => {
  const tab: TerminalTab = {
    kind: 'terminal',
    id: '1',
    clusterId: 'home',
    target: { kind: 'new', clusterId: 'home', serverId: 'a', login: 'ann' },
    phase: 'connecting',
    unread: false,
    programTitle: '',
    parties: [],
  }
  expect(tabPath(tab)).toBe('/web/cluster/home/console/node/a/ann')
  const facts = { sid, clusterId: 'home', login: 'ann', hostname: 'web-1', serverId: 'a', owner: 'ann', moderated: false, created: '' }
  expect(tabPath({ ...tab, facts })).toBe(`/web/cluster/home/console/session/${sid}`)
})

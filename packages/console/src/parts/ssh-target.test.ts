import { expect, test } from 'vitest'
import { parseServerQuest, parseSshTarget, serverFilter, splitHost } from './ssh-target.ts'

test('login@host with or without port is a target', () => {
  expect(parseSshTarget(' root@db-1 ')).toEqual({ login: 'root', serverId: 'db-1' })
  expect(parseSshTarget('root@db-1.example.com:2222')).toEqual({ login: 'root', serverId: 'db-1.example.com:2222' })
  expect(parseSshTarget(' ssh ann@corp.example@10.0.0.1:22 ')).toEqual({ login: 'ann@corp.example', serverId: '10.0.0.1:22' })
  expect(parseSshTarget('root@[::1]:22')).toEqual({ login: 'root', serverId: '[::1]:22' })
})

test.each(['', 'db-1', 'root@', '@db-1', '-o@db-1', 'root@db 1', 'root@db-1:0', 'root@db-1:99999', 'root@db-1:x', 'root@a/b'])(
  '%j is no target',
  (text) => {
    expect(parseSshTarget(text)).toBeUndefined()
  },
)

test('the domain of a host name recedes, an address stays whole', () => {
  expect(splitHost('db-1.internal.example.com')).toEqual({ name: 'db-1', tail: '.internal.example.com' })
  expect(splitHost('10.42.0.11')).toEqual({ name: '10.42.0.11', tail: '' })
  expect(splitHost('db-1')).toEqual({ name: 'db-1', tail: '' })
})

test('a login before words or an expression asks for servers; before a host it does not', () => {
  expect(parseServerQuest('root@web prod')).toEqual({ login: 'root', wanted: 'web prod' })
  expect(parseServerQuest('root@labels["env"] == "prod"')).toEqual({ login: 'root', wanted: 'labels["env"] == "prod"' })
  expect(parseServerQuest('root@name=="web-1"')).toEqual({ login: 'root', wanted: 'name=="web-1"' })
  for (const none of ['root@web-1', 'root@web-1:22', 'web prod', '-x@web prod', 'root@'])
    expect(parseServerQuest(none), none).toBeUndefined()
  expect(serverFilter(' web prod ')).toEqual({ search: 'web prod' })
  expect(serverFilter('hasPrefix(name, "web-")')).toEqual({ query: 'hasPrefix(name, "web-")' })
})

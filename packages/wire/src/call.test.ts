import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { call, callPath, callSearch } from './call.ts'
import { allCalls } from './calls/all.ts'

test('a call whose parameters differ from its path is refused when it is declared', () => {
  const declare = (params: z.ZodMiniObject) => () => call({ id: 'x', method: 'GET', path: '/a/{b}', allow: 'public', params })
  expect(declare(z.object({ b: z.string() }))).not.toThrow()
  expect(declare(z.object({ c: z.string() }))).toThrow('call x')
})
test('a path encodes each value once and refuses a missing one', () => {
  expect(callPath('/a/{b}/c', { b: 'x/y ü' })).toBe('/a/x%2Fy%20%C3%BC/c')
  expect(() => callPath('/a/{b}', {})).toThrow('missing path parameter "b"')
  expect(() => callPath('/a/{b}', { b: '' })).toThrow()
})
test('R3-122: every parameter of an address is encoded once', () => {
  const names = [
    'serverId',
    'login',
    'sid',
    'desktopName',
    'username',
    'database',
    'name',
    'uuid',
    'tokenId',
    'deviceName',
    'conversationId',
    'requestId',
  ]
  for (const name of names) expect(callPath(`/a/{${name}}/b`, { [name]: 'x%2F/?# y' })).toBe('/a/x%252F%2F%3F%23%20y/b')
})
test('a search leaves out what is undefined and encodes the rest', () => {
  expect(callSearch({ a: undefined, b: 'x&y=+', c: 0 })).toBe('?b=x%26y%3D%2B&c=0')
  expect(callSearch({})).toBe('')
})
test('ids and method-path pairs of all calls are unique', () => {
  expect(new Set(allCalls.map(({ id }) => id)).size).toBe(allCalls.length)
  expect(new Set(allCalls.map(({ method, path }) => `${method} ${path}`)).size).toBe(allCalls.length)
  expect(allCalls.length).toBeGreaterThan(25)
})

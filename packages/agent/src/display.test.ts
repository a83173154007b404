import { expect, test } from 'vitest'
import { authorizationOf } from './display.ts'

test('the authority of a display is one entry, for its number and from anywhere', () => {
  const file = authorizationOf({ protocol: 'MIT-MAGIC-COOKIE-1', cookie: '00ff10', screen: 0 })(11)
  expect(file.toString('latin1')).toBe('\xff\xff\0\0\0\x0211\0\x12MIT-MAGIC-COOKIE-1\0\x03\0\xff\x10')
})

test('what no client asks for is refused', () => {
  const good = { protocol: 'MIT-MAGIC-COOKIE-1', cookie: '00', screen: 0 }
  for (const bad of [{ protocol: 'a b' }, { protocol: '' }, { cookie: '' }, { cookie: '0' }, { cookie: 'zz' }, { screen: 256 }])
    expect(() => authorizationOf({ ...good, ...bad }), JSON.stringify(bad)).toThrow('not of the known form')
})

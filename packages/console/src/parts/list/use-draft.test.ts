import { expect, test } from 'vitest'
import { follow, send } from './use-draft.ts'
import type { Typed } from './use-draft.ts'

const type = (typed: Typed, text: string): Typed => ({ ...typed, text })
const empty: Typed = { of: '', text: '', sent: [] }

test('what is typed while an earlier text is on its way into the address stays', () => {
  let typed = send(type(empty, 'l'), 'l')
  typed = type(typed, 'li')
  typed = follow(typed, 'l')
  expect(typed.text).toBe('li')
  typed = type(send(send(typed, 'li'), 'lis'), 'list')
  expect(follow(follow(typed, 'li'), 'lis').text).toBe('list')
  // Two of them at once.
  expect(follow(typed, 'lis')).toEqual({ of: 'lis', text: 'list', sent: [] })
})

test('a value from elsewhere replaces the text, also one that was sent before', () => {
  const sent = follow(send(type(empty, 'web'), 'web'), 'web')
  expect(follow(sent, '')).toEqual(empty)
  expect(follow(type(sent, 'web-1'), 'db').text).toBe('db')
  expect(follow(follow(sent, ''), 'web').text).toBe('web')
})

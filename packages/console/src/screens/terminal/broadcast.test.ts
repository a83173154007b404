import { expect, test } from 'vitest'
import { Broadcast } from './broadcast.ts'

test('what is typed reaches every member, and outside of it only its own terminal', () => {
  const broadcast = new Broadcast()
  expect(broadcast.reach('a')).toEqual(['a'])
  broadcast.start(['a', 'b'])
  expect(broadcast.reach('a')).toEqual(['a', 'b'])
  expect(broadcast.reach('c')).toEqual(['c'])
  broadcast.join('c')
  expect(broadcast.reach('c')).toEqual(['a', 'b', 'c'])
  broadcast.leave('a')
  expect(broadcast.reach('a')).toEqual(['a'])
  expect(broadcast.reach('b')).toEqual(['b', 'c'])
})

test('it is off as soon as fewer than two are left, and nobody joins one that is off', () => {
  const broadcast = new Broadcast()
  broadcast.start(['a'])
  expect(broadcast.store.get()).toEqual([])
  broadcast.start(['a', 'b', 'c'])
  broadcast.keep(['b', 'c', 'd'])
  expect(broadcast.store.get()).toEqual(['b', 'c'])
  broadcast.keep(['c'])
  expect(broadcast.store.get()).toEqual([])
  broadcast.join('a')
  expect(broadcast.store.get()).toEqual([])
})

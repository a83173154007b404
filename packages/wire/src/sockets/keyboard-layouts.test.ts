import { expect, test } from 'vitest'
import { keyboardOf, usKeyboard } from './keyboard-layouts.ts'

test('a language has the keyboard of its country, of itself, or the American one', () => {
  expect(keyboardOf('de-AT')).toBe(0x407)
  expect(keyboardOf('de-CH')).toBe(0x807)
  expect(keyboardOf('en-GB')).toBe(0x809)
  expect(keyboardOf('en-US')).toBe(usKeyboard)
  expect(keyboardOf('tlh')).toBe(usKeyboard)
})

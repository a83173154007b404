import { expect, test } from 'vitest'
import { encodePassword } from './password-text.ts'

test('base64 of the UTF-8 bytes', () => {
  expect(encodePassword('pässwort 🔑')).toBe(Buffer.from('pässwort 🔑').toString('base64'))
  expect(encodePassword('')).toBe('')
})

import { expect, test } from 'vitest'
import { checkPasswordLength, createPasswords } from './passwords.ts'

test('only the right password matches; nobody and long ones are worked on all the same', async () => {
  const passwords = createPasswords()
  const stored = await passwords.hash('correct horse')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await passwords.matches(stored, 'correct horse')).toBe(true)
  for (const wrong of ['correct', '', 'x'.repeat(5000)]) expect(await passwords.matches(stored, wrong)).toBe(false)
  for (const nobody of [null, undefined]) expect(await passwords.matches(nobody, 'correct horse')).toBe(false)
})
test('lengths count in bytes', () => {
  expect(() => checkPasswordLength('äöü')).not.toThrow()
  expect(() => checkPasswordLength('abcde')).toThrow('password is too short, min length is 6')
  expect(() => checkPasswordLength('x'.repeat(129))).toThrow('password is too long, max length is 128')
})

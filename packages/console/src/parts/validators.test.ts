import { expect, test } from 'vitest'
import { confirmPassword, deviceName, newPassword, oneTimeCode, required } from './validators.ts'

test('required: text that is more than spaces', () => {
  expect(required('bob', 'your username')).toBeUndefined()
  expect(required('  ', 'your username')).toBe('Enter your username')
  expect(required('', 'a login', 'Choose')).toBe('Choose a login')
})

test('oneTimeCode: six to eight digits, spaces do not count', () => {
  for (const good of ['123456', '12345678', '123 456']) expect(oneTimeCode(good)).toBeUndefined()
  for (const bad of ['', '12345', '123456789', '12345a']) expect(oneTimeCode(bad)).toBe('Enter the 6-digit code')
})

test('newPassword: long enough, not the name, not the old one', () => {
  const of = { username: 'margarethe.o', current: 'correct horse' }
  expect(newPassword('battery staple', of)).toBeUndefined()
  expect(newPassword('elevenchars', of)).toBe('Use at least 12 characters')
  expect(newPassword('margarethe.o', of)).toBe('Do not use your username')
  expect(newPassword('correct horse', of)).toBe('Choose a different password')
})

test('confirmPassword: the same again', () => {
  expect(confirmPassword('a', 'a')).toBeUndefined()
  expect(confirmPassword('a', 'b')).toBe('Passwords do not match')
})

test('deviceName: named, 30 characters at most, not taken', () => {
  expect(deviceName('laptop', ['phone'])).toBeUndefined()
  expect(deviceName(' ')).toBe('Name this device')
  expect(deviceName('x'.repeat(31))).toBe('Use at most 30 characters')
  expect(deviceName('phone ', ['phone'])).toBe('That name is taken')
})

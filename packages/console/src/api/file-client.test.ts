import { expect, test } from 'vitest'
import { fileNameOf } from './file-client.ts'

test.each([
  ['attachment;filename="a%20b.txt"', 'a b.txt'],
  ['attachment; filename=plain.txt', 'plain.txt'],
  ['attachment;filename="100%.txt"', '100%.txt'],
  ['attachment;filename="%2Fetc%2Fpasswd"', '/etc/passwd'],
  ['attachment', undefined],
  ['attachment;filename=""', undefined],
  ['', undefined],
])('%j names %j', (header, name) => {
  expect(fileNameOf(header)).toBe(name)
})

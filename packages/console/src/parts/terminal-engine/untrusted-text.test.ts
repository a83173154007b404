import { expect, test } from 'vitest'
import { cleanPaste, cleanTitle, pastedLines, safeLink } from './untrusted-text.ts'

test('a title keeps its words and loses control and bidirectional characters', () => {
  expect(cleanTitle('vim: notes.txt')).toBe('vim: notes.txt')
  expect(cleanTitle('a\u001b[31mb\u202etxt\nnext\u0007')).toBe('a [31mb txt next')
  expect(cleanTitle('x'.repeat(500))).toHaveLength(120)
})

test('links open only for http and https without credentials', () => {
  expect(safeLink('https://example.com/a?b=1')).toBe('https://example.com/a?b=1')
  expect(safeLink('http://127.0.0.1:8080/')).toBe('http://127.0.0.1:8080/')
  for (const bad of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'ssh://host', 'https://user:pw@host/', 'no address'])
    expect(safeLink(bad), bad).toBeUndefined()
})

test('a paste cannot end its own brackets or press control keys', () => {
  expect(cleanPaste('a\r\nb\nc\td')).toBe('a\rb\rc\td')
  expect(cleanPaste('ls\u001b[201~rm -rf /\u0003\u0004')).toBe('ls[201~rm -rf /')
  expect(cleanPaste('grüße 😀')).toBe('grüße 😀')
})

test('a trailing line end counts as a line because it runs the command', () => {
  expect(pastedLines('ls')).toBe(1)
  expect(pastedLines('ls\n')).toBe(2)
  expect(pastedLines('a\r\nb')).toBe(2)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDuration, parseDuration } from './duration.ts'
import { matches, whyNotPattern } from './match.ts'
import { expand, whyNotTemplate } from './templates.ts'
import { compileCondition, whyNotCondition } from './where.ts'

test('text is literal but for *, and anchored', () => {
  expect(matches('stage-*', 'stage-1')).toBe(true)
  expect(matches('*-db-*', 'eu-db-7')).toBe(true)
  expect(matches('stage-*', 'my-stage-1')).toBe(false)
  expect(matches('a.b', 'axb')).toBe(false)
  expect(matches('A', 'a')).toBe(false)
  expect(matches('a*c', 'a\nc')).toBe(true)
})
test('text that contains no special character matches itself only', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      fc.pre(!a.includes('*') && !(a.startsWith('^') && a.endsWith('$')))
      expect(matches(a, b)).toBe(a === b)
    }),
  )
})
test('expressions that make backtracking engines explode end at once', () => {
  const long = `${'a'.repeat(50_000)}!`
  expect(matches('^(a+)+$', long)).toBe(false)
  expect(matches(`${'*a'.repeat(30)}*b`, long)).toBe(false)
  expect(whyNotPattern('^(a)\\1$')).toContain('not a valid expression')
  expect(whyNotPattern('^a$')).toBeUndefined()
})
test('durations as Go writes them', () => {
  expect(['30h0m0s', '1.5h', '300ms', '0', '14d', '90s'].map(parseDuration)).toEqual([
    108_000_000, 5_400_000, 300, 0, 1_209_600_000, 90_000,
  ])
  expect(['', 'soon', '5', '5x', '1h-', '-1h'].map(parseDuration)).toEqual(Array(6).fill(undefined))
  expect([108_000_000, 5_400_000, 90_000, 300, 0].map(formatDuration)).toEqual(['30h0m0s', '1h30m0s', '1m30s', '300ms', '0s'])
})
test('no text, however odd, breaks the readers of templates, conditions and patterns', () => {
  const pieces = [
    '{{',
    '}}',
    'internal',
    'external',
    '.logins',
    '["',
    '"]',
    'regexp.replace(',
    'email.local(',
    ')',
    ',',
    '&&',
    '!',
    '(',
    'contains(',
    'user.',
    '\\\\',
    '"',
    '^',
    '$',
    '*',
    ' ',
  ]
  const odd = fc.array(fc.oneof(fc.constantFrom(...pieces), fc.string({ maxLength: 3 })), { maxLength: 12 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(odd, (text) => {
      if (whyNotTemplate(text) !== undefined) expect(expand(text, {})).toEqual([])
      expect(compileCondition(text) === undefined).toBe(whyNotCondition(text) !== undefined)
      expect(typeof matches(text, 'x')).toBe('boolean')
      whyNotPattern(text)
    }),
  )
})

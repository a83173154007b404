import { expect, test } from 'vitest'
import { formatSearch, parseSearch } from './search-string.ts'

test('plain text there and back', () => {
  const fields = { query: 'labels["env"] == "prod" && a', kind: ['node', 'app'], page: '2' }
  expect(parseSearch(formatSearch(fields))).toEqual(fields)
  expect(parseSearch('?q=1&q2=true')).toEqual({ q: '1', q2: 'true' })
})

test('what is empty is left out', () => {
  expect(formatSearch({ a: '', b: undefined, c: null })).toBe('')
  expect(formatSearch({ a: '', b: 0 })).toBe('?b=0')
})

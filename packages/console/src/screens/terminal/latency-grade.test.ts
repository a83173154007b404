import { expect, test } from 'vitest'
import { latencyGrade } from './latency-grade.ts'

test('the slower leg is judged: slow from 150 ms, bad from 400 ms', () => {
  expect(latencyGrade(undefined)).toBe('unknown')
  expect(latencyGrade({ viewer: 149, server: 2 })).toBe('good')
  expect(latencyGrade({ viewer: 3, server: 150 })).toBe('slow')
  expect(latencyGrade({ viewer: 399, server: 150 })).toBe('slow')
  expect(latencyGrade({ viewer: 400, server: 1 })).toBe('bad')
})

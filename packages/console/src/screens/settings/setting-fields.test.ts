import { expect, test } from 'vitest'
import { optionsWith, recordingFields, shortTime } from './setting-fields.ts'

test('times lose what says nothing', () => {
  expect(['12h0m0s', '1h30m0s', '15m0s', '90s', '0s', '1h0m5s', '10m0s', '500ms'].map(shortTime)).toEqual([
    '12h',
    '1h30m',
    '15m',
    '90s',
    '0',
    '1h0m5s',
    '10m',
    '500ms',
  ])
})
test('a value that is not offered is kept among the options', () => {
  const [{ control } = { control: 'check' }] = recordingFields
  if (typeof control === 'string') throw new Error('no options')
  expect(optionsWith(control, 'node-sync').at(-1)).toEqual({ value: 'node-sync', label: 'node-sync' })
  expect(optionsWith(control, 'off')).toBe(control)
})

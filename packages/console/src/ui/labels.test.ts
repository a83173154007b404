import { expect, test } from 'vitest'
import { fittingCount } from './label-fit.ts'
import { visibleLabels } from './label-order.ts'

const label = (name: string, value = 'x') => ({ name, value })

test('labels are sorted by name, internal ones never shown, the origin last', () => {
  const given = ['zone', 'teleport.dev/origin', 'teleport.internal/resource-id', 'arch', 'teleport.hidden/x'].map((name) => label(name))
  expect(visibleLabels(given).map((one) => one.name)).toEqual(['arch', 'zone', 'teleport.dev/origin'])
  expect(given[0]?.name).toBe('zone')
})

test('pills that fit need no room for +N', () => {
  expect(fittingCount({ widths: [50, 50], room: 104, lines: 1, gap: 4, more: 36 })).toBe(2)
  expect(fittingCount({ widths: [], room: 0, lines: 1, gap: 4, more: 36 })).toBe(0)
})

test('otherwise whole pills only, with room kept for +N', () => {
  expect(fittingCount({ widths: [50, 50, 50], room: 144, lines: 1, gap: 4, more: 36 })).toBe(2)
  expect(fittingCount({ widths: [50, 50, 50], room: 140, lines: 1, gap: 4, more: 36 })).toBe(1)
  expect(fittingCount({ widths: [200], room: 100, lines: 1, gap: 4, more: 36 })).toBe(0)
})

test('a second line holds more, +N stands at its end', () => {
  expect(fittingCount({ widths: [50, 50, 50, 50, 50], room: 110, lines: 2, gap: 4, more: 36 })).toBe(3)
  expect(fittingCount({ widths: [50, 50, 50, 50], room: 110, lines: 2, gap: 4, more: 36 })).toBe(4)
})

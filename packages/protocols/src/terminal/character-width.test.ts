import { expect, test } from 'vitest'
import { characterWidth, widthProvider } from './character-width.ts'

test('letters take one cell, ideographs and emoji two, marks none', () => {
  for (const narrow of ['a', 'ü', 'Ж', '─', '█', '€', '→', '✓']) expect(characterWidth(narrow.codePointAt(0) ?? 0), narrow).toBe(1)
  for (const wide of ['漢', 'カ', '한', '😀', '🚀', '✅', 'Ａ']) expect(characterWidth(wide.codePointAt(0) ?? 0), wide).toBe(2)
  for (const none of ['\u0301', '\u200b', '\u200d', '\ufe0f', '\u0007']) expect(characterWidth(none.codePointAt(0) ?? 0), none).toBe(0)
})

test('a mark joins the character before it and keeps its width; alone it joins nothing', () => {
  const { charProperties } = widthProvider('test')
  const wide = charProperties(0x1f600, 0)
  expect(wide).toBe(2 << 1)
  expect(charProperties(0xfe0f, wide)).toBe((2 << 1) | 1)
  expect(charProperties(0x301, 0)).toBe(0)
})

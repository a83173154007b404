import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8')

function themeColours(theme: string): Record<string, string> {
  const block = css.match(new RegExp(`\\[data-theme=["']${theme}["']\\] \\{([^}]*)\\}`))?.[1] ?? ''
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})/g)].map((match) => [match[1] ?? '', match[2] ?? '']))
}

const themes = { light: themeColours('light'), dark: themeColours('dark') }

function channels(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16) / 255)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour).map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].toSorted((x, y) => y - x)
  return (high + 0.05) / (low + 0.05)
}

function hue(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channels(colour)
  const [max, min] = [Math.max(red, green, blue), Math.min(red, green, blue)]
  const span = max - min
  const sector = max === red ? ((green - blue) / span) % 6 : max === green ? (blue - red) / span + 2 : (red - green) / span + 4
  return (sector * 60 + 360) % 360
}

const layers = ['deep', 'sunken', 'surface', 'elevated', 'popout']
const pairs: readonly [fronts: string[], grounds: string[], need: number][] = [
  [['text', 'text-2', 'muted', 'brand-text', 'danger', 'warn', 'ok', 'info'], layers, 4.5],
  [['text', 'muted', 'brand-text'], ['select'], 4.5],
  [['on-brand'], ['brand', 'brand-hover', 'brand-press'], 4.5],
  [['on-danger'], ['danger', 'danger-hover', 'danger-press'], 4.5],
  [['danger'], ['danger-bg'], 4.5],
  [['warn'], ['warn-bg'], 4.5],
  [['ok'], ['ok-bg'], 4.5],
  [['info'], ['info-bg'], 4.5],
  [['text', 'text-2'], ['danger-bg', 'warn-bg', 'ok-bg', 'info-bg'], 4.5],
  [['tip-text'], ['tip-bg'], 4.5],
  [['term-fg'], ['term-bg'], 4.5],
  [['text'], ['term-select', 'term-find'], 4.5],
  [['brand-800'], ['brand-100'], 4.5],
  [['code-key', 'code-str', 'code-num', 'code-com', 'code-punct'], ['surface', 'sunken', 'elevated'], 4.5],
  [['control'], ['sunken', 'surface', 'elevated'], 3],
  [['focus', 'brand', 'ok-mark', 'warn-mark', 'info-mark'], layers, 3],
  [['wave', 'wave-on', 'bar-info', 'bar-warn', 'bar-err'], ['surface'], 3],
  [['c1', 'c2', 'c3', 'c4', 'c5', 'c6'], ['sunken', 'surface'], 3],
  [['term-cursor', ...Array.from({ length: 16 }, (_, index) => `ansi-${index}`)], ['term-bg'], 3],
]

test.each(['light', 'dark'] as const)('every pair of colours in use keeps its contrast in the %s theme', (name) => {
  const theme = themes[name]
  const failures = pairs.flatMap(([fronts, grounds, need]) =>
    fronts.flatMap((front) =>
      grounds.flatMap((ground) => {
        const ratio = contrast(theme[front] ?? '', theme[ground] ?? '')
        return ratio >= need ? [] : [`${front} on ${ground}: ${ratio.toFixed(2)} < ${need}`]
      }),
    ),
  )
  expect(failures).toEqual([])
})

test('contrast is measured, not assumed: white on white fails', () => {
  expect(contrast('#ffffff', '#ffffff')).toBe(1)
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
})

function lengths(prefix: string): number[] {
  return [...css.matchAll(new RegExp(`--${prefix}\\d+:\\s*(\\d+)`, 'g'))].map((match) => Number(match[1]))
}

test('R9-053: the spacing scale has its twelve steps', () => {
  expect(lengths('s')).toEqual([0, 4, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80])
})

test('R9-054: font sizes range from 10 to 34', () => {
  const sizes = lengths('f')
  expect(Math.min(...sizes)).toBe(10)
  expect(Math.max(...sizes)).toBe(34)
})

test('R9-055: font weights are 300, 400 and 600', () => {
  expect([...css.matchAll(/--w-\w+:\s*(\d+)/g)].map((match) => Number(match[1]))).toEqual([300, 400, 600])
})

test('R9-058: the brand is purple in both themes', () => {
  for (const theme of Object.values(themes)) {
    expect(hue(theme['brand'] ?? '')).toBeGreaterThan(255)
    expect(hue(theme['brand'] ?? '')).toBeLessThan(290)
  }
  expect(hue(themes.light['danger'] ?? '')).not.toBeCloseTo(hue(themes.light['brand'] ?? ''), -1)
})

test('R9-059: the brand is lighter in the dark theme', () => {
  expect(luminance(themes.dark['brand'] ?? '')).toBeGreaterThan(luminance(themes.light['brand'] ?? ''))
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OutputLines, type OutputLine } from './output-lines.ts'

function linesOf(...prints: [text: string | Uint8Array, at: number][]): OutputLine[] {
  const lines: OutputLine[] = []
  const reader = new OutputLines((line) => lines.push(line))
  for (const [text, at] of prints) reader.push(typeof text === 'string' ? new TextEncoder().encode(text) : text, at)
  reader.end()
  return lines
}

test('lines carry the time of their last character', () => {
  expect(linesOf(['one\r\ntw', 0], ['o\r\n', 50], ['rest', 90])).toEqual([
    { at: 0, text: 'one' },
    { at: 50, text: 'two' },
    { at: 90, text: 'rest' },
  ])
})

test('escape sequences vanish, also when a print ends inside one', () => {
  const lines = linesOf(
    ['\u001b[1;31mred\u001b[0m \u001b]0;title\u0007plain\u001b(B\u001b]8;;https://a.example\u001b\\link\u001b]8;;\u001b\\ \u001b[3', 0],
    ['8;5;12mend\n', 1],
  )
  expect(lines).toEqual([{ at: 1, text: 'red plainlink end' }])
})

test('what was typed wrong and taken back is not found; a rewritten line is a line of its own', () => {
  expect(linesOf(['lss\b \b -l\r\n', 0])[0]?.text).toBe('ls -l')
  expect(linesOf(['10 %\r20 %\r\n', 0]).map(({ text }) => text)).toEqual(['10 %', '20 %'])
})

test('a character cut between two prints is whole, and hostile output stays bounded', () => {
  const bytes = new TextEncoder().encode('grüße\n')
  expect(linesOf([bytes.slice(0, 3), 0], [bytes.slice(3), 1])).toEqual([{ at: 1, text: 'grüße' }])
  expect(Math.max(...linesOf(['x'.repeat(100_000), 0]).map(({ text }) => text.length))).toBe(4096)
  expect(linesOf([`\u001b]${'x'.repeat(10_000)}`, 0])).toEqual([])
})

test('whatever a program prints, no line holds a control character', () => {
  const hostile = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom(
      '\x1b[',
      '\x1b]52;c;',
      '\x1b]0;',
      '\x1bP',
      '\x1b_',
      '\u009b31m',
      '\u009d0;t',
      '\x07',
      '\x1b\\',
      '\x7f',
      'text',
      '\r',
      '\n',
    ),
  )
  fc.assert(
    fc.property(fc.array(hostile, { maxLength: 60 }), (prints) => {
      const lines = linesOf(...prints.map((print, at): [string | Uint8Array, number] => [print, at]))
      // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
      for (const { text } of lines) expect(text).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
    }),
    { numRuns: 3000, seed: 1 },
  )
})

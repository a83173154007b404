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

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RecentOutput, unattendedLimit } from './recent-output.ts'
import { TerminalModes } from './terminal-modes.ts'

const text = (bytes: Buffer): string => bytes.toString('latin1')

test('a newcomer gets the last 64 KiB, beginning with a whole character; nothing before anything was shown', () => {
  const recent = new RecentOutput()
  expect(recent.replay()).toMatchObject({ offset: 0, isPartial: false })
  expect(recent.replay().bytes).toHaveLength(0)
  recent.push(Buffer.from('abc'))
  expect(recent.replay().bytes.toString()).toBe('abc')
  const long = 'é'.repeat(50_000)
  for (const piece of [long.slice(0, 7), long.slice(7, 40_001), long.slice(40_001)]) recent.push(Buffer.from(piece))
  recent.push(Buffer.from('!'))
  const { bytes, offset } = recent.replay()
  expect(bytes.length).toBeLessThanOrEqual(64 * 1024)
  expect(bytes.length).toBeGreaterThan(64 * 1024 - 4)
  expect(offset + bytes.length).toBe(recent.end)
  expect(`abc${long}!`.endsWith(bytes.toString())).toBe(true)
})

test('whoever comes back gets exactly what they have not seen, as long as it is kept', () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ maxLength: 90_000 }), { maxLength: 12 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (pieces, share) => {
        const recent = new RecentOutput()
        for (const piece of pieces) recent.push(Buffer.from(piece))
        const whole = Buffer.concat(pieces)
        const seen = Math.floor(whole.length * share)
        const { offset, bytes } = recent.since(seen)
        expect(recent.end).toBe(whole.length)
        expect(offset).toBe(Math.max(seen, recent.start))
        expect(recent.end - recent.start).toBe(Math.min(whole.length, 256 * 1024))
        expect(bytes.equals(whole.subarray(offset))).toBe(true)
      },
    ),
    { numRuns: 60 },
  )
})

test('while nobody is there more is kept, and less again afterwards; a place that was never reached counts as none', () => {
  const recent = new RecentOutput()
  const whole = Buffer.from(Array.from({ length: 900_000 }, (_, index) => index % 127))
  recent.push(whole.subarray(0, 100_000))
  recent.isUnattended = true
  for (let at = 100_000; at < whole.length; at += 50_000) recent.push(whole.subarray(at, at + 50_000))
  expect(whole.length).toBeLessThan(unattendedLimit)
  expect(recent.since(50_000).bytes.equals(whole.subarray(50_000))).toBe(true)
  recent.isUnattended = false
  expect(recent.end - recent.start).toBe(256 * 1024)
  expect(recent.since(recent.start).bytes.equals(whole.subarray(recent.start))).toBe(true)
  expect(recent.since(recent.end + 1).bytes).toHaveLength(64 * 1024)
  expect(recent.since(recent.end).bytes).toHaveLength(0)
})

test('a full-screen program that began before what is kept: the newcomer gets its modes, and it is to draw anew', () => {
  const recent = new RecentOutput()
  recent.push(Buffer.from('$ vi\r\n\u001b[?1049h\u001b[?1;2004h\u001b=\u001b[2;20r'))
  expect(recent.replay()).toMatchObject({ isPartial: false, offset: 0 })
  for (let count = 0; count < 40; count += 1) recent.push(Buffer.alloc(10_000, 'x'))
  const { modes, isPartial } = recent.replay()
  expect(isPartial).toBe(true)
  expect(text(modes)).toBe('\u001b[m\u001b[?1049h\u001b[?1h\u001b[?2004h\u001b=\u001b[2;20r')
  expect(recent.isAlternateScreen).toBe(true)
  recent.push(Buffer.from('\u001b[?1049l\u001b[?2004l\u001b[r$ '))
  expect(recent.isAlternateScreen).toBe(false)
  expect(recent.replay().isPartial).toBe(false)
})

test('modes: sequences in any pieces, resets, strings, and a cut in the middle of one', () => {
  const state = (output: string): string => {
    const whole = new TerminalModes()
    whole.feed(Buffer.from(output, 'latin1'))
    const pieces = new TerminalModes()
    for (const byte of Buffer.from(output, 'latin1')) pieces.feed(Uint8Array.of(byte))
    expect(text(pieces.toBytes())).toBe(text(whole.toBytes()))
    return text(whole.toBytes()).slice('\u001b[m'.length)
  }
  expect(state('plain')).toBe('')
  expect(state('\u001b[?25l\u001b[?25h')).toBe('\u001b[?25h')
  expect(state('\u001b[?1000;1006h\u001b[?9999h\u001b[31m')).toBe('\u001b[?1000h\u001b[?1006h')
  expect(state('\u001b]0;a title with [?25l in it\u0007\u001b[?25l')).toBe('\u001b[?25l')
  expect(state('\u001bPq#0\u001b\\\u001b[?7l')).toBe('\u001b[?7l')
  expect(state('\u001b[?25l\u001b=\u001bc')).toBe('')
  expect(state('\u001b[?1049h\u001b[?25l\u001b>\u001b[!p')).toBe('\u001b[?1049h')
  expect(state('\u001b(0\u001b[?20')).toBe('\u001b[?20')
  expect(state('\u001b]0;half a ti')).toBe('\u001b]')
  expect(state(`\u001b[${'1;'.repeat(100)}`)).toBe('')
})

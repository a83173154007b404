import { randomBytes } from 'node:crypto'
import { array, assert, boolean, integer, property, tuple } from 'fast-check'
import { decodeFrame } from '@sallyport/wire/sockets/terminal.ts'
import { terminalPayloadLimit } from '@sallyport/wire/limits.ts'
import { expect, test } from 'vitest'
import { OutputFrames } from './output-frames.ts'

function payloadsOf(output: OutputFrames, final = false): Buffer[] {
  return output.take(final).flatMap(({ frames, release }) => {
    const payloads = frames.map((frame) => Buffer.from(decodeFrame(frame).payload))
    release()
    return payloads
  })
}

test('no byte is lost or changed, however output comes in, and every payload fits a frame', () => {
  const pieces = array(
    tuple(
      integer({ min: 0, max: 100_000 }).map((length) => randomBytes(length)),
      boolean(),
    ),
    { maxLength: 8 },
  )
  assert(
    property(pieces, (parts) => {
      const output = new OutputFrames()
      const payloads = parts.flatMap(([bytes, isEndOfTurn]) => {
        output.add(bytes)
        return isEndOfTurn ? payloadsOf(output) : []
      })
      payloads.push(...payloadsOf(output, true))
      expect(payloads.every(({ length }) => length > 0 && length <= terminalPayloadLimit)).toBe(true)
      expect(Buffer.concat(payloads).equals(Buffer.concat(parts.map(([bytes]) => bytes)))).toBe(true)
    }),
    { numRuns: 60 },
  )
})

test('a character is never cut, not between frames, pieces of memory or turns', () => {
  const text = '€'.repeat(100_000)
  const bytes = Buffer.from(text)
  const output = new OutputFrames()
  const payloads: Buffer[] = []
  for (let at = 0; at < bytes.length; at += 70_001) {
    output.add(bytes.subarray(at, at + 70_001))
    payloads.push(...payloadsOf(output))
  }
  expect(payloads.map((payload) => payload.toString()).join('')).toBe(text)
  expect(payloads.every((payload) => !payload.toString().includes('\uFFFD'))).toBe(true)
})

test('an incomplete last character waits for its rest, and goes out as it is at the end', () => {
  const output = new OutputFrames()
  output.add(Buffer.from([0x61, 0xe2, 0x82]))
  expect(payloadsOf(output)).toEqual([Buffer.from('a')])
  expect(payloadsOf(output)).toEqual([])
  output.add(Buffer.from([0xac]))
  expect(payloadsOf(output)).toEqual([Buffer.from('€')])
  output.add(Buffer.from([0xf0]))
  expect(payloadsOf(output)).toEqual([])
  expect(payloadsOf(output, true)).toEqual([Buffer.from([0xf0])])
})

import { assert, property, uint8Array, string } from 'fast-check'
import { expect, test } from 'vitest'
import { terminalPayloadLimit } from '../limits.ts'
import { decodeFrame, encodeFrame, EnvelopeError, frameTypes, parseSize, splitPayload, terminalParamsWire } from './terminal.ts'

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

test('a frame has version, type and payload at fixed places', () => {
  expect([...encodeFrame('r', 'hi')]).toEqual([0x0a, 1, 0x31, 0x12, 1, 0x72, 0x1a, 2, 0x68, 0x69])
  expect([...encodeFrame('c')]).toEqual([0x0a, 1, 0x31, 0x12, 1, 0x63])
  expect([...encodeFrame('r', 'x'.repeat(200)).subarray(6, 9)]).toEqual([0x1a, (200 & 0x7f) | 0x80, 1])
})

test('whatever is encoded is decoded again; the largest payload still fits two length bytes', () => {
  assert(
    property(uint8Array({ maxLength: 300 }), (payload) => {
      expect(decodeFrame(encodeFrame('r', payload))).toEqual({ type: 'r', payload })
    }),
  )
  const largest = new Uint8Array(terminalPayloadLimit).fill(0x61)
  expect(decodeFrame(encodeFrame('r', largest)).payload).toEqual(largest)
  expect(() => encodeFrame('r', new Uint8Array(terminalPayloadLimit + 1))).toThrow(EnvelopeError)
})

test('malformed frames throw EnvelopeError and nothing else', () => {
  const frame = encodeFrame(frameTypes.raw, 'payload')
  for (let length = 0; length < frame.length; length += 1) {
    const cut = frame.subarray(0, length)
    if (length === 6) expect(decodeFrame(cut).payload).toHaveLength(0)
    else expect(() => decodeFrame(cut), `cut at ${length}`).toThrow(EnvelopeError)
  }
  assert(
    property(uint8Array({ maxLength: 40 }), (noise) => {
      try {
        decodeFrame(noise)
      } catch (error) {
        expect(error).toBeInstanceOf(EnvelopeError)
      }
    }),
  )
})

test('splitting never cuts a character and loses no byte', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 20_000, minLength: 1 }), (content) => {
      const bytes = new TextEncoder().encode(content.repeat(Math.ceil(40_000 / content.length)))
      const { payloads, rest } = splitPayload(bytes)
      expect(rest).toHaveLength(0)
      expect(payloads.every((payload) => payload.length <= terminalPayloadLimit)).toBe(true)
      expect(payloads.map(text).join('')).toBe(text(bytes))
    }),
    { numRuns: 30 },
  )
})

test('an incomplete last character is held back until its rest arrives; bytes that are no UTF-8 are not', () => {
  const euro = new TextEncoder().encode('a€')
  const { payloads, rest } = splitPayload(euro.subarray(0, 3))
  expect(payloads.map(text)).toEqual(['a'])
  expect([...rest]).toEqual([...euro.subarray(1, 3)])
  expect(splitPayload(Uint8Array.of(0xff, 0xfe, 0x80)).rest).toHaveLength(0)
})

test('sizes are W:H from 1 to 4095', () => {
  expect(parseSize('80:25')).toEqual({ columns: 80, rows: 25 })
  for (const size of ['', '80', '80x25', '0:25', '80:4096', '-1:2', '1.5:2', '80:25:1']) expect(parseSize(size), size).toBeUndefined()
})

test('terminal parameters are bounded', () => {
  expect(terminalParamsWire.parse({ server_id: 's', login: 'root', term: { h: 24, w: 80 } })).toMatchObject({ login: 'root' })
  for (const term of [{ h: 0, w: 80 }, { h: 24, w: 4096 }, { h: 2.5, w: 80 }, undefined])
    expect(terminalParamsWire.safeParse({ server_id: 's', login: 'root', term }).success).toBe(false)
})

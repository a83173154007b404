import { expect, test } from 'vitest'
import { decodeCommand, encodeError, encodeOutput, encodeSize, playbackOutputLimit } from './playback.ts'

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)

test('output, errors and sizes have the layout that every console reads', () => {
  expect(encodeOutput(0x0102, bytes(65, 66))).toEqual(bytes(1, 0, 10, 0, 0, 0, 0, 0, 0, 1, 2, 65, 66))
  expect(encodeOutput(5, bytes())).toEqual(bytes(1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5))
  expect(encodeSize(300, 40)).toEqual(bytes(5, 0, 4, 1, 44, 0, 40))
  expect(encodeError('ü')).toEqual(bytes(2, 0, 5, 1, 0, 2, 0xc3, 0xbc))
  expect(() => encodeOutput(0, new Uint8Array(playbackOutputLimit + 1))).toThrow(RangeError)
})

test('a client plays, pauses and seeks; anything else is no command', () => {
  expect(decodeCommand(bytes(3, 0, 1, 0))).toEqual({ do: 'play' })
  expect(decodeCommand(bytes(3, 0, 1, 1))).toEqual({ do: 'pause' })
  expect(decodeCommand(bytes(4, 0, 8, 0, 0, 0, 0, 0, 0, 1, 2))).toEqual({ do: 'seek', ms: 258 })
  for (const wrong of [
    bytes(),
    bytes(3),
    bytes(3, 0, 1),
    bytes(3, 0, 1, 2),
    bytes(3, 0, 2, 0, 0),
    bytes(4, 0, 1, 0),
    bytes(4, 0, 8, 255, 255, 255, 255, 255, 255, 255, 255),
    bytes(1, 0, 1, 0),
  ])
    expect(decodeCommand(wrong), String(wrong)).toBeUndefined()
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { readBitmaps } from './bitmaps.ts'
import { u16 } from './bytes.ts'
import { decodeInterleaved } from './interleaved.ts'
import { decodePlanar } from './planar.ts'

const list = (pixels: Iterable<number>): number[] => [...pixels]

test('interleaved: runs, colours, copies and masks follow from the row below', () => {
  const bytes = Buffer.from([
    // Two pixels of colour 0x1234, then two that are copied.
    0x62, 0x34, 0x12, 0x82, 0x01, 0x00, 0x02, 0x00,
    // The second row: background as below twice, and then a foreground run of two in white.
    0x02, 0x22,
  ])
  expect(list(decodeInterleaved(bytes, 4, 2, 2))).toEqual([0x1234, 0x1234, 1, 2, 0x1234, 0x1234, 0xffff ^ 1, 0xffff ^ 2])
  // A mask of eight bits, lowest first, with a foreground of its own.
  expect(list(decodeInterleaved(Buffer.from([0xd1, 0x0f, 0x00, 0b1010_0101]), 8, 1, 2))).toEqual([15, 0, 15, 0, 0, 15, 0, 15])
  // Two runs of background: a pixel of foreground between them.
  expect(list(decodeInterleaved(Buffer.from([0x01, 0x02, 0xfd]), 4, 1, 2))).toEqual([0, 0xffff, 0, 0xffff])
  expect(list(decodeInterleaved(Buffer.from([0xe1, 1, 0, 0, 2, 0, 0, 0xfe]), 3, 1, 3))).toEqual([1, 2, 0])
  expect(list(decodeInterleaved(Buffer.from([0xf3, 3, 0, 9, 0]), 3, 1, 2))).toEqual([9, 9, 9])
})

test('planar: rows are differences from the row below', () => {
  const plane = (first: number, delta: number): number[] => [0x13, first, 0x13, delta]
  const { red, green, blue } = decodePlanar(Buffer.from([0x30, ...plane(10, 4), ...plane(20, 3), ...plane(30, 0)]), 4, 2)
  expect(list(red)).toEqual([10, 10, 10, 10, 12, 12, 12, 12])
  expect(list(green)).toEqual([20, 20, 20, 20, 18, 18, 18, 18])
  expect(list(blue)).toEqual([30, 30, 30, 30, 30, 30, 30, 30])
  expect(list(decodePlanar(Buffer.from([0x20, 1, 2, 3, 0]), 1, 1).blue)).toEqual([3])
  expect(() => decodePlanar(Buffer.from([0x31, 0]), 1, 1)).toThrow('fewer colours')
})

test('a rectangle is turned into RGBA with its first row on top, and padding is left out', () => {
  // Two by one visible of three by two in memory, 16 bits, rows of eight bytes, from the bottom up.
  const rows = [u16(0xf800, 0x07e0, 0, 0), u16(0x001f, 0xffff, 0, 0)]
  const update = Buffer.concat([u16(1, 1, 5, 6, 6, 7, 3, 2, 16, 0, 16), ...rows])
  const [picture] = [...readBitmaps(update)]
  expect(picture).toMatchObject({ left: 5, top: 6, width: 2, height: 2, stride: 3 })
  expect(list(picture?.rgba.subarray(0, 8) ?? [])).toEqual([0, 0, 255, 255, 255, 255, 255, 255])
  expect(list(picture?.rgba.subarray(12, 20) ?? [])).toEqual([255, 0, 0, 255, 0, 255, 0, 255])
})

test.each([
  [15, [0x7fff, 0x7c00, 0x03e0]],
  [16, [0xffff, 0xf800, 0x07e0]],
])('white, red and green of %i bits', (bits, [white = 0, red = 0, green = 0]) => {
  const update = Buffer.concat([u16(1, 1, 0, 0, 2, 0, 4, 1, bits, 0, 8), u16(white, red, green, 0)])
  const [picture] = [...readBitmaps(update)]
  expect(list(picture?.rgba.subarray(0, 12) ?? [])).toEqual([255, 255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 255])
})

test('whatever a desktop sends, it is a picture or refused', () => {
  const survives = (act: () => unknown): void => {
    try {
      act()
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error
    }
  }
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.integer({ min: 1, max: 20 }), fc.constantFrom(1, 2, 3), (bytes, width, depth) => {
      const data = Buffer.from(bytes)
      survives(() => decodeInterleaved(data, width, 3, depth as 1 | 2 | 3))
      survives(() => decodePlanar(data, width, 3))
      survives(() => [...readBitmaps(Buffer.concat([u16(1, 1), data]))])
      survives(() => [...readBitmaps(Buffer.concat([u16(1, 1, 0, 0, width - 1, 2, width, 3, depth * 8 + 8, 0x401, data.length), data]))])
    }),
  )
})

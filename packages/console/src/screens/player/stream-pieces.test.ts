import { expect, test } from 'vitest'
import { between, evenly, StreamPieces } from './stream-pieces.ts'

const stream = Uint8Array.from({ length: 100 }, (_, index) => index)

function setUp(kept = 2) {
  const asked: number[] = []
  const pieces = new StreamPieces(
    async (offset, bytes) => {
      asked.push(offset)
      return stream.slice(offset, offset + bytes)
    },
    evenly(10),
    kept,
  )
  return { asked, pieces }
}

test('only the pieces that are read are fetched, each once while it is kept', async () => {
  const { asked, pieces } = setUp()
  expect([...(await pieces.read(42, 3))]).toEqual([42, 43, 44])
  await pieces.read(45, 5)
  expect(asked).toEqual([40])
})

test('a read across pieces joins their bytes; past the end it gives what there is', async () => {
  const { pieces } = setUp()
  expect([...(await pieces.read(8, 14))]).toEqual(Array.from(stream.slice(8, 22)))
  expect([...(await pieces.read(95, 50))]).toEqual([95, 96, 97, 98, 99])
  expect(await pieces.read(200, 5)).toHaveLength(0)
})

test('at most the given number of pieces stays', async () => {
  const { asked, pieces } = setUp(2)
  for (const offset of [0, 10, 0, 20, 0, 10]) await pieces.read(offset, 1)
  expect(asked).toEqual([0, 10, 20, 10])
})

test('a piece that failed is fetched again', async () => {
  let fails = true
  const pieces = new StreamPieces(
    async (offset, bytes) => {
      if (fails) throw new Error('Network request failed')
      return stream.slice(offset, offset + bytes)
    },
    evenly(10),
    2,
  )
  await expect(pieces.read(0, 5)).rejects.toThrow('Network request failed')
  fails = false
  expect(await pieces.read(0, 5)).toHaveLength(5)
})

test('pieces may lie between places, so that one holds all of a stretch; a long one is cut', async () => {
  const asked: [number, number][] = []
  const pieces = new StreamPieces(
    async (offset, bytes) => {
      asked.push([offset, bytes])
      return stream.slice(offset, offset + bytes)
    },
    between([{ offset: 0 }, { offset: 30 }, { offset: 37 }], 100, 25),
    5,
  )
  expect([...(await pieces.read(30, 7))]).toEqual([30, 31, 32, 33, 34, 35, 36])
  expect([...(await pieces.read(98, 9))]).toEqual([98, 99])
  expect([...(await pieces.read(24, 3))]).toEqual([24, 25, 26])
  expect(asked).toEqual([[30, 7], [87, 13], [0, 25], [25, 5]]) // prettier-ignore
})

test('a piece that was cut short where the stream ended goes on with what was written since, and with nothing else', async () => {
  let length = 13
  const asked: [number, number][] = []
  const pieces = new StreamPieces(
    async (offset, bytes) => {
      asked.push([offset, bytes])
      return stream.slice(offset, Math.min(length, offset + bytes))
    },
    evenly(10),
    5,
  )
  expect([...(await pieces.read(8, 5))]).toEqual([8, 9, 10, 11, 12])
  length = 25
  expect([...(await pieces.read(12, 10))]).toEqual(Array.from(stream.slice(12, 22)))
  expect(asked).toEqual([[0, 10], [10, 10], [13, 7], [20, 10]]) // prettier-ignore
})

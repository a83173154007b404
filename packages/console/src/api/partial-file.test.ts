import { expect, test } from 'vitest'
import { readPart } from './partial-file.ts'

/** A stream of these pieces, which breaks after them when it is told so. */
const streamOf = (pieces: readonly string[], breaks: boolean) =>
  new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece))
    },
    pull: (controller) => (breaks ? controller.error(new Error('broken')) : controller.close()),
  })
const ignore = () => undefined

test('what came before the break is kept, and the rest goes behind it', async () => {
  const first = await readPart(streamOf(['one ', 'two '], true), { before: undefined, length: '13', onProgress: ignore })
  expect(await first.body.text()).toBe('one two ')
  expect(first.error).toBeInstanceOf(Error)
  const seen: (number | undefined)[][] = []
  const second = await readPart(streamOf(['three'], false), {
    before: first.body,
    length: '5',
    onProgress: (...progress) => void seen.push(progress),
  })
  expect(await second.body.text()).toBe('one two three')
  expect(second.error).toBeUndefined()
  expect(seen.at(-1)).toEqual([13, 13])
})

test('an end before the announced length is a break; without a length the end is the end', async () => {
  expect((await readPart(streamOf(['abc'], false), { before: undefined, length: '9', onProgress: ignore })).error).toBeInstanceOf(Error)
  expect((await readPart(streamOf(['abc'], false), { before: undefined, length: null, onProgress: ignore })).error).toBeUndefined()
})

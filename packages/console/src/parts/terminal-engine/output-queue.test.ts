import { expect, test } from 'vitest'
import { hiddenHighWater, highWater, OutputQueue, parserWindow } from './output-queue.ts'

/** A parser that finishes a chunk only when told to. */
function slowParser() {
  const taken: { bytes: Uint8Array; done: () => void }[] = []
  return { taken, sink: (bytes: Uint8Array, done: () => void) => void taken.push({ bytes, done }) }
}

test('the parser never holds more than its window plus one chunk', () => {
  const { taken, sink } = slowParser()
  const queue = new OutputQueue(sink)
  for (let index = 0; index < 200; index += 1) queue.push(new Uint8Array(16_383))
  const inside = taken.reduce((sum, { bytes }) => sum + bytes.length, 0)
  expect(inside).toBeGreaterThanOrEqual(parserWindow)
  expect(inside).toBeLessThan(parserWindow + 16_383)
  expect(queue.pending).toBe(200 * 16_383)
})

test('a reader is held above the high mark and let go when the parser has caught up', async () => {
  const { taken, sink } = slowParser()
  const queue = new OutputQueue(sink)
  queue.push(new Uint8Array(1000))
  expect(queue.roomy()).toBeUndefined()
  queue.push(new Uint8Array(highWater))
  let released = false
  const waiting = queue.roomy()?.then(() => (released = true))
  taken[0]?.done()
  await Promise.resolve()
  expect(released).toBe(false)
  taken[1]?.done()
  await waiting
  expect(released).toBe(true)
  await queue.drained()
  expect(queue.pending).toBe(0)
})

test('a page in the background takes more before it holds the reader', () => {
  let hidden = true
  const queue = new OutputQueue(slowParser().sink, () => hidden)
  queue.push(new Uint8Array(highWater * 2))
  expect(queue.roomy()).toBeUndefined()
  hidden = false
  expect(queue.roomy()).toBeInstanceOf(Promise)
  hidden = true
  queue.push(new Uint8Array(hiddenHighWater))
  expect(queue.roomy()).toBeInstanceOf(Promise)
})

test('closing lets every waiting reader go and refuses more bytes', async () => {
  const { sink } = slowParser()
  const queue = new OutputQueue(sink)
  queue.push(new Uint8Array(highWater + 1))
  const waiting = queue.roomy()
  queue.close()
  await waiting
  queue.push(new Uint8Array(10))
  expect(queue.pending).toBe(0)
})

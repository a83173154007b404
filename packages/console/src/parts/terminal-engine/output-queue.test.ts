import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hiddenHighWater, OutputQueue, step } from './output-queue.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A parser that finishes a step only when told to, and a page that goes on when told to. */
function slowParser(hidden: () => boolean = () => false) {
  const taken: { bytes: Uint8Array; done: () => void }[] = []
  const breaths: (() => void)[] = []
  const queue = new OutputQueue((bytes, done) => void taken.push({ bytes: bytes.slice(), done }), {
    hidden,
    breathe: (next) => void breaths.push(next),
  })
  const breathe = (): void => breaths.shift()?.()
  /** Ends the step that is being parsed after so long, and lets the page breathe. */
  const finish = (milliseconds: number): void => {
    vi.advanceTimersByTime(milliseconds)
    taken.at(-1)?.done()
    breathe()
  }
  return { queue, taken, finish, breathe, sizes: () => taken.map(({ bytes }) => bytes.length) }
}
const piece = (length: number, first = 0): Uint8Array => Uint8Array.from({ length }, (_, index) => (first + index) % 251)

test('what comes alone is parsed at once, however soon after the last', () => {
  const { queue, finish, sizes } = slowParser()
  queue.push(piece(10))
  expect(sizes()).toEqual([10])
  finish(1)
  queue.push(piece(20))
  expect(sizes()).toEqual([10, 20])
})

test('pieces are parsed in steps that grow and shrink with the speed of the parser; no byte is lost or turned round', () => {
  const { queue, taken, finish, sizes } = slowParser()
  const pieces = Array.from({ length: 400 }, (_, index) => piece(16_000, index * 16_000))
  for (const one of pieces) queue.push(one)
  for (let turn = 0; turn < 6; turn += 1) finish(1)
  expect(sizes().at(-1)).toBe(step.most)
  finish(step.takes * 8)
  expect(sizes().at(-1)).toBe(step.most / 2)
  while (queue.pending > 0) {
    finish(step.takes)
    vi.runAllTimers()
  }
  expect(Buffer.concat(taken.map(({ bytes }) => bytes)).equals(Buffer.concat(pieces))).toBe(true)
})

test('in a flood a small step waits until it is large or its time has come; whoever waits for the end does not', async () => {
  const { queue, finish, breathe, sizes } = slowParser()
  queue.push(piece(40_000))
  finish(5)
  queue.push(piece(1000))
  expect(sizes()).toEqual([40_000])
  vi.advanceTimersByTime(step.takes - 6)
  expect(sizes()).toEqual([40_000])
  vi.advanceTimersByTime(1)
  expect(sizes()).toEqual([40_000, 1000])
  finish(1)
  queue.push(piece(50_000))
  finish(1)
  queue.push(piece(2000))
  const end = queue.drained()
  breathe()
  expect(sizes().at(-1)).toBe(2000)
  finish(0)
  await end
})

test('a reader is held at three steps and let go at two', async () => {
  const { queue, finish } = slowParser()
  queue.push(piece(step.first))
  expect(queue.roomy()).toBeUndefined()
  queue.push(piece(step.first * 2))
  let released = false
  const waiting = queue.roomy()?.then(() => (released = true))
  expect(released).toBe(false)
  finish(step.takes)
  await waiting
  expect(released).toBe(true)
})

test('a page in the background takes more before it holds the reader, in large steps, and owes nothing meanwhile', () => {
  let hidden = true
  const { queue, sizes } = slowParser(() => hidden)
  queue.push(piece(10))
  queue.push(new Uint8Array(step.most * 2))
  expect(queue.roomy()).toBeUndefined()
  expect(queue.owed).toBe(0)
  hidden = false
  expect(queue.roomy()).toBeInstanceOf(Promise)
  expect(queue.owed).toBe(queue.pending)
  hidden = true
  queue.push(new Uint8Array(hiddenHighWater))
  expect(queue.roomy()).toBeInstanceOf(Promise)
  expect(sizes()).toEqual([10])
})

test('closing lets every waiting reader go and refuses more bytes', async () => {
  const { queue } = slowParser()
  queue.push(new Uint8Array(step.most))
  const waiting = queue.roomy()
  queue.close()
  await waiting
  queue.push(new Uint8Array(10))
  expect(queue.pending).toBe(0)
})

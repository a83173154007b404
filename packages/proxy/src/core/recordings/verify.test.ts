import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chunkLength, fileHeaderLength, parseChunkHeader } from './format.ts'
import type { RandomBytes } from './random-bytes.ts'
import { RecordingError } from './recording-error.ts'
import { createRecordings } from './recordings.ts'
import { createSealer, newSealKey } from './seal.ts'
import { verifyRecording } from './verify.ts'

const sealer = createSealer(newSealKey())
interface Finished {
  sid: string
  bytes: Buffer
  seal: string
  /** Where each chunk begins, and the end. */
  edges: number[]
}
let directory: string
let one: Finished
let other: Finished
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'verify-'))
  one = await finished()
  other = await finished()
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function finished(): Promise<Finished> {
  const recordings = createRecordings(directory, { sealer })
  const sid = randomUUID()
  let now = 0
  const options = { sid, start: Date.UTC(2026, 10, 21), elapsed: () => now, onDrain: () => undefined, onFailure: () => undefined }
  const recorder = await recordings.create(options)
  recorder.event({ event: 'session.start', user: 'alice', size: '80:25' })
  for (; now < 4000; now += 1000) {
    recorder.print(Buffer.from(`output of second ${now}, ${'x'.repeat(now / 2)}\r\n`))
    await recorder.flush()
  }
  recorder.event({ event: 'session.end', participants: ['alice'] })
  await recorder.finish()
  await recordings.seal(sid)
  const files = recordings.filesOf(sid)
  const bytes = await readFile(files.recording)
  const edges = [fileHeaderLength]
  for (let at = fileHeaderLength; at < bytes.length; at = edges.at(-1) ?? 0)
    edges.push(at + chunkLength(parseChunkHeader(bytes.subarray(at, at + 120))))
  return { sid, bytes, seal: await readFile(files.seal, 'utf8'), edges }
}

const inMemory = (bytes: Buffer): RandomBytes => ({
  size: bytes.length,
  readAt: async (position, length) => bytes.subarray(position, position + length),
  [Symbol.asyncDispose]: async () => undefined,
})
const judge = (bytes: Buffer, seal: string | undefined, sid = one.sid): Promise<string> =>
  verifyRecording(inMemory(bytes), sid, seal, sealer).catch((error: unknown) => {
    expect(error).toBeInstanceOf(RecordingError)
    return 'damaged'
  })
const chunk = ({ bytes, edges }: Finished, index: number): Buffer => bytes.subarray(edges[index], edges[index + 1])

test('what was recorded is signed; under the seal of another, without one, or by another cluster it is not', async () => {
  expect(await judge(one.bytes, one.seal)).toBe('signed')
  expect(await judge(one.bytes, undefined)).toBe('unsigned')
  expect(await judge(one.bytes, other.seal)).toBe('forged')
  expect(await judge(other.bytes, other.seal)).toBe('damaged')
  expect(await verifyRecording(inMemory(one.bytes), one.sid, one.seal, createSealer(newSealKey()))).toBe('forged')
})

test('10,000 changes, each a flipped bit, a cut, an insertion, chunks in another order or of another recording: all are found', async () => {
  const spot = fc.nat({ max: one.bytes.length - 1 })
  const index = fc.nat({ max: one.edges.length - 2 })
  const change = fc.oneof(
    { weight: 6, arbitrary: fc.tuple(spot, fc.nat({ max: 7 })).map(([at, bit]) => flipped(one.bytes, at, bit)) },
    { weight: 2, arbitrary: spot.map((at) => one.bytes.subarray(0, at)) },
    { weight: 2, arbitrary: fc.tuple(spot, fc.uint8Array({ minLength: 1, maxLength: 20 })).map(([at, more]) => spliced(at, at, more)) },
    { weight: 2, arbitrary: fc.tuple(spot, spot).map(([a, b]) => spliced(Math.min(a, b), Math.max(a, b) + 1, new Uint8Array())) },
    { weight: 2, arbitrary: fc.tuple(index, index).map(([a, b]) => exchanged(a, b)) },
    { weight: 2, arbitrary: fc.tuple(index, index).map(([a, b]) => spliced(one.edges[a] ?? 0, one.edges[a + 1] ?? 0, chunk(other, b))) },
    { weight: 1, arbitrary: fc.tuple(index, index).map(([a, b]) => spliced(one.edges[a] ?? 0, one.edges[a] ?? 0, chunk(one, b))) },
  )
  await fc.assert(
    fc.asyncProperty(change, async (bytes) => {
      fc.pre(!bytes.equals(one.bytes))
      expect(await judge(bytes, one.seal)).not.toBe('signed')
    }),
    { numRuns: 10_000, seed: 1 },
  )
})

test('no bit of a seal can change', async () => {
  const seal = Buffer.from(one.seal)
  for (let at = 0; at < seal.length; at += 1)
    for (let bit = 0; bit < 8; bit += 3) expect(await judge(one.bytes, flipped(seal, at, bit).toString())).toBe('forged')
})

function flipped(bytes: Buffer, at: number, bit: number): Buffer {
  const changed = Buffer.from(bytes)
  changed[at] = bytes.readUInt8(at) ^ (1 << bit)
  return changed
}
const spliced = (from: number, to: number, more: Uint8Array): Buffer =>
  Buffer.concat([one.bytes.subarray(0, from), more, one.bytes.subarray(to)])
const exchanged = (a: number, b: number): Buffer =>
  Buffer.concat([
    one.bytes.subarray(0, fileHeaderLength),
    ...one.edges.slice(1).map((_, index) => chunk(one, index === a ? b : index === b ? a : index)),
  ])

import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, mkdtemp, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Recorder } from './recorder.ts'
import { RecordingError } from './recording-error.ts'
import type { RecordingReader } from './recording-reader.ts'
import { createRecordings } from './recordings.ts'
import type { RecordingRecord } from './records.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'recordings-'))
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const start = Date.UTC(2026, 10, 21)
const openFile = (sid: string, ending = 'rec'): string => join(directory, 'open', `${sid}.${ending}`)
const closedFile = (sid: string, ending = 'rec'): string => join(directory, 'closed', sid.slice(0, 2), `${sid}.${ending}`)

async function record(
  write: (recorder: Recorder, at: (ms: number) => void) => void | Promise<void>,
  sid: string = randomUUID(),
): Promise<string> {
  let now = 0
  const failures: RecordingError[] = []
  const recorder = await createRecordings(directory).create({
    sid,
    start,
    elapsed: () => now,
    onDrain: () => undefined,
    onFailure: (error) => failures.push(error),
  })
  await write(recorder, (ms) => (now = ms))
  await recorder.finish()
  expect(failures).toEqual([])
  return sid
}

const recordsOf = (reader: RecordingReader, from?: number): Promise<RecordingRecord[]> => Array.fromAsync(reader.records(from))
const outputOf = async (reader: RecordingReader, offset = 0, length = Number.MAX_SAFE_INTEGER): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(reader.stream(offset, length)))

async function small(): Promise<{ sid: string; output: Buffer }> {
  const pieces = [Buffer.from('hello '), Buffer.from('world, this is what the shell said: '), Buffer.alloc(300, 'ab')]
  const sid = await record(async (recorder, at) => {
    recorder.event({ event: 'session.start', user: 'alice', size: '80:25' })
    for (const [index, piece] of pieces.entries()) {
      at(index * 1000)
      recorder.print(piece)
      await recorder.flush()
    }
    recorder.event({ event: 'session.end', participants: ['alice'] })
  })
  return { sid, output: Buffer.concat(pieces) }
}

test('what was recorded is read back: events, prints with their time and offset, and the very bytes', async () => {
  const bytes = randomBytes(700_000)
  const sid = await record((recorder, at) => {
    expect(recorder.event({ event: 'session.start', size: '80:25' })).toBe(0)
    at(40)
    recorder.print(bytes.subarray(0, 10))
    at(45)
    recorder.print(bytes.subarray(10, 30))
    at(90)
    recorder.print(bytes.subarray(30))
    at(95)
    recorder.event({ event: 'session.end' })
  })
  await using reader = await createRecordings(directory).read(sid)
  const records = await recordsOf(reader)
  expect(records.map(({ ei }) => ei)).toEqual(records.map((_, index) => index))
  expect(records[0]).toMatchObject({ kind: 'event', ms: 0, event: { event: 'session.start', size: '80:25' } })
  expect(records[1]).toMatchObject({ kind: 'print', ms: 40, bytes: 30, offset: 0 })
  expect(records[2]).toMatchObject({ kind: 'print', ms: 90, offset: 30 })
  expect(records.at(-1)).toMatchObject({ kind: 'event', ms: 95, event: { event: 'session.end' } })
  expect(await outputOf(reader)).toEqual(bytes)
  expect([reader.length, reader.durationMs, reader.start, reader.sid, reader.complete]).toEqual([bytes.length, 95, start, sid, true])
})

test('any part of the stream is read from the chunks that hold it; behind the end there is nothing', async () => {
  const bytes = randomBytes(600_000)
  const sid = await record((recorder) => void recorder.print(bytes))
  await createRecordings(directory).seal(sid)
  await using reader = await createRecordings(directory).read(sid)
  for (const [offset, length] of [
    [0, 1],
    [262_143, 2],
    [262_144, 10],
    [100, 599_900],
    [599_999, 1],
    [300_000, 1_000_000],
  ] as const)
    expect(await outputOf(reader, offset, length)).toEqual(bytes.subarray(offset, offset + length))
  expect(await outputOf(reader, 600_000, 10)).toHaveLength(0)
  expect(await outputOf(reader, 9_000_000, 10)).toHaveLength(0)
  expect((await recordsOf(reader, 2)).map(({ ei }) => ei)).toEqual([2])
})

test('a running recording is read as far as it was flushed', async () => {
  const sid = randomUUID()
  const recorder = await createRecordings(directory).create({
    sid,
    start,
    elapsed: () => 1,
    onDrain: () => undefined,
    onFailure: () => undefined,
  })
  recorder.print(Buffer.from('one'))
  await recorder.flush()
  recorder.print(Buffer.from('two'))
  await using reader = await createRecordings(directory).read(sid)
  expect((await outputOf(reader)).toString()).toBe('one')
  expect(reader.complete).toBe(false)
  await recorder.close()
  await expect(createRecordings(directory).read(randomUUID())).rejects.toMatchObject({ code: 'missing' })
  await expect(createRecordings(directory).read('../../etc/passwd')).rejects.toMatchObject({ code: 'missing' })
})

test('cut at any byte: the chunks before the cut are read and recovery continues them, or the beginning is damaged', async () => {
  const { sid, output } = await small()
  const whole = await readFile(openFile(sid))
  const recordings = createRecordings(directory)
  const lengths = new Set<number>()
  for (let length = 0; length < whole.length; length += 1 + (length % 2)) {
    await writeFile(openFile(sid), whole.subarray(0, length))
    if (length < 40) {
      await expect(recordings.read(sid), `cut at ${length}`).rejects.toBeInstanceOf(RecordingError)
      continue
    }
    await using reader = await recordings.read(sid)
    const got = await outputOf(reader)
    expect(got.equals(output.subarray(0, got.length)), `cut at ${length}`).toBe(true)
    expect((await recordsOf(reader)).reduce((sum, record) => sum + (record.kind === 'print' ? record.bytes : 0), 0)).toBe(got.length)
    lengths.add(got.length)
  }
  expect([...lengths]).toEqual([0, 6, 42, 342])
  await writeFile(openFile(sid), whole.subarray(0, whole.length - 100))
  const recorder = await recordings.recover(sid)
  recorder.event({ event: 'session.end' })
  await recorder.finish()
  await recordings.seal(sid)
  await using reader = await recordings.read(sid)
  expect(reader.complete).toBe(true)
  expect((await recordsOf(reader)).map((record) => (record.kind === 'event' ? record.event.event : record.bytes))).toEqual([
    'session.start',
    6,
    36,
    300,
    'session.end',
  ])
})

test('a sealed recording in which anything is missing or follows is damaged', async () => {
  const { sid } = await small()
  const recordings = createRecordings(directory)
  await recordings.seal(sid)
  const { size } = await stat(closedFile(sid))
  await truncate(closedFile(sid), size - 1)
  await expect(recordings.read(sid)).rejects.toMatchObject({ code: 'damaged' })
  await truncate(closedFile(sid), size + 5)
  await expect(recordings.read(sid)).rejects.toMatchObject({ code: 'damaged' })
})

test('a flipped bit is never read as content, with and without an index', async () => {
  const { sid, output } = await small()
  await createRecordings(directory).seal(sid)
  const whole = await readFile(closedFile(sid))
  for (let at = 0; at < whole.length; at += 3) {
    const changed = Buffer.from(whole)
    changed[at] = whole.readUInt8(at) ^ (1 << (at % 8))
    await writeFile(closedFile(sid), changed)
    const attempt = async (): Promise<Buffer> => {
      await using reader = await createRecordings(directory).read(sid)
      await recordsOf(reader)
      return await outputOf(reader)
    }
    // What the intact index says as well is read from there.
    await attempt().then(
      (read) => expect(read).toEqual(output),
      (error: unknown) => expect(error).toBeInstanceOf(RecordingError),
    )
    await rename(closedFile(sid, 'idx'), closedFile(sid, 'away'))
    await expect(attempt(), `bit of byte ${at}`).rejects.toBeInstanceOf(RecordingError)
    await rename(closedFile(sid, 'away'), closedFile(sid, 'idx'))
  }
})

test('a wrong, short or missing index changes nothing', async () => {
  const { sid, output } = await small()
  const other = await small()
  const recordings = createRecordings(directory)
  const index = await readFile(openFile(sid, 'idx'))
  const wrong = Buffer.from(index)
  wrong[130] = 0xff
  for (const bytes of [Buffer.alloc(0), index.subarray(0, 125), wrong, randomBytes(500), await readFile(openFile(other.sid, 'idx'))]) {
    await writeFile(openFile(sid, 'idx'), bytes)
    await using reader = await recordings.read(sid)
    expect(await outputOf(reader)).toEqual(output)
  }
  await rm(openFile(sid, 'idx'))
  await using reader = await recordings.read(sid)
  expect(await outputOf(reader)).toEqual(output)
})

test('damage in the middle of an unfinished recording is not cut away', async () => {
  const { sid } = await small()
  const bytes = await readFile(openFile(sid))
  bytes[60] = 0xff
  await writeFile(openFile(sid), bytes)
  await expect(createRecordings(directory).recover(sid)).rejects.toMatchObject({ code: 'damaged' })
  expect(await readFile(openFile(sid))).toEqual(bytes)
})

test('a directory that cannot be written is named at once', async () => {
  await writeFile(join(directory, 'file'), '')
  const attempt = createRecordings(join(directory, 'file')).create({
    sid: randomUUID(),
    start,
    elapsed: () => 0,
    onDrain: () => undefined,
    onFailure: () => undefined,
  })
  await expect(attempt).rejects.toMatchObject({ name: 'RecordingError', code: 'cannot-write' })
  await chmod(directory, 0o700)
})

test('a full disk is told once, and nothing more is taken', async () => {
  const full = await import('node:fs/promises').then(({ open }) => open('/dev/full', 'r+'))
  const failures: string[] = []
  const options = {
    sid: randomUUID(),
    elapsed: () => 0,
    onDrain: () => undefined,
    onFailure: ({ message }: RecordingError) => failures.push(message),
  }
  const position = { file: 40, index: 0, sequence: 0, nextEi: 0, streamOffset: 0, previous: Buffer.alloc(16) }
  const recorder = new Recorder(options, { recording: full, index: full }, position)
  recorder.print(randomBytes(400_000))
  await expect(recorder.flush()).rejects.toMatchObject({ code: 'cannot-write' })
  recorder.print(randomBytes(400_000))
  await expect(recorder.finish()).rejects.toThrow('the disk is full')
  expect(failures).toEqual(['The recording cannot be written: the disk is full. Free some space.'])
})

test('a shell that is faster than the disk is told to wait, and to go on', async () => {
  const sid = randomUUID()
  const drained = Promise.withResolvers<void>()
  const recorder = await createRecordings(directory).create({
    sid,
    start,
    elapsed: () => 0,
    onDrain: drained.resolve,
    onFailure: () => undefined,
  })
  const piece = randomBytes(100_000)
  let taken = 1
  while (recorder.print(piece)) taken += 1
  expect(taken * piece.length).toBeLessThan(3 * 1024 * 1024)
  await drained.promise
  await recorder.finish()
  await using reader = await createRecordings(directory).read(sid)
  expect(reader.length).toBe(taken * piece.length)
})

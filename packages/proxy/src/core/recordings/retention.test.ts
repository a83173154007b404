import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createRecordings } from './recordings.ts'
import { readRecordingsUri } from './remote/recordings-uri.ts'
import { createSealer, newSealKey } from './seal.ts'
import { startRetention } from './shelve.ts'

test('recordings that are too old go, with all that lies beside them; younger and running ones stay', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'retention-'))
  await using _cleanUp = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) }
  const recordings = createRecordings(directory, { sealer: createSealer(newSealKey()) })
  const now = Date.UTC(2026, 10, 21)
  const record = async (daysAgo: number, seals = true): Promise<string> => {
    const sid = randomUUID()
    const options = { sid, start: now, elapsed: () => 0, onDrain: () => undefined, onFailure: () => undefined }
    const recorder = await recordings.create(options)
    recorder.print(Buffer.from('x'))
    await recorder.finish()
    if (!seals) return sid
    await recordings.seal(sid)
    const time = new Date(now - daysAgo * 24 * 3_600_000)
    await utimes(recordings.filesOf(sid).recording, time, time)
    return sid
  }
  const [old, young, running] = [await record(31), await record(29), await record(99, false)]
  const removed: string[] = []
  const library = { remove: async (sid: string) => void removed.push(sid) }
  await using retention = startRetention({ recordings, library, days: 30, clock: { now: () => now }, log: createLog('silent') })
  await retention.sweep()
  expect(removed).toEqual([old])
  expect(await recordings.sealed()).toEqual([young])
  expect(await recordings.unsealed()).toEqual([running])
  expect((await readdir(directory, { recursive: true })).filter((name) => name.includes(old))).toEqual([])
})

test('a bucket is named by an address; what is wrong about one is said', () => {
  expect(readRecordingsUri('s3://bucket')).toEqual({
    bucket: 'bucket',
    prefix: '',
    endpoint: undefined,
    region: 'us-east-1',
    pathStyle: false,
  })
  expect(readRecordingsUri('s3://bucket/a/b/?endpoint=https://s3.example.com:9000&region=eu-west-1')).toEqual({
    bucket: 'bucket',
    prefix: 'a/b/',
    endpoint: 'https://s3.example.com:9000',
    region: 'eu-west-1',
    pathStyle: true,
  })
  for (const [uri, problem] of [
    ['https://bucket', 'must begin with s3://'],
    ['s3://key:secret@bucket', 'must not hold credentials'],
    ['s3://bucket?acl=public', 'has no option "acl"'],
    ['s3://bucket?endpoint=host:9000', 'must be an address'],
  ] as const)
    expect(readRecordingsUri(uri)).toContain(problem)
})

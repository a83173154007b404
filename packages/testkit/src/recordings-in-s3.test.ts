/** Recordings that are kept in a bucket, over the real protocol. */
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createLog } from '@sallyport/proxy/core/log.ts'
import { createLibrary } from '@sallyport/proxy/core/recordings/library.ts'
import { createLibraryThread } from '@sallyport/proxy/core/recordings/library-thread.ts'
import { createRecordings } from '@sallyport/proxy/core/recordings/recordings.ts'
import { createS3Store } from '@sallyport/proxy/core/recordings/remote/s3-store.ts'
import { readRecordingsUri } from '@sallyport/proxy/core/recordings/remote/recordings-uri.ts'
import { createSealer, newSealKey } from '@sallyport/proxy/core/recordings/seal.ts'
import { readTextQuery } from '@sallyport/proxy/core/recordings/search/text-query.ts'
import { startRetention } from '@sallyport/proxy/core/recordings/shelve.ts'
import { callPath } from '@sallyport/wire/call.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { keyframe, outline, search } from '@sallyport/wire/calls/recordings.ts'
import { recordingEvents, recordingStream } from '@sallyport/wire/calls/playback.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { s3Credentials, startS3, type S3Server } from './targets/s3.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld, type World } from './world.ts'

let s3: S3Server
let folder: string
beforeAll(async () => {
  for (const [name, value] of Object.entries(s3Credentials)) vi.stubEnv(name, value)
  s3 = await startS3()
  folder = await mkdtemp(join(tmpdir(), 'upload-'))
})
afterAll(async () => {
  await s3[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
  vi.unstubAllEnvs()
})

const storeOf = ({ uri }: S3Server) => {
  const place = readRecordingsUri(uri)
  return typeof place === 'string' ? expect.fail(place) : createS3Store(place)
}
const sentParts = (): string[] =>
  s3.requests.flatMap((request) => (request.startsWith('PUT') ? (/partNumber=(\d+)/.exec(request)?.[1] ?? []) : []))

test('an upload that is killed goes on with the parts that are missing; what is read back is the file', { timeout: 60_000 }, async () => {
  const file = join(folder, 'large.rec')
  const content = randomBytes(30 * 1024 * 1024)
  await writeFile(file, content)
  const program = join(import.meta.dirname, 'upload-file.ts')
  const upload = () => spawn(process.execPath, [program, s3.uri, 'large.rec', file], { stdio: 'inherit' })
  const first = upload()
  // In the middle of the third part.
  s3.onRequest = (request) => void (request.includes('partNumber=3') && first.kill('SIGKILL'))
  expect(await once(first, 'exit')).toEqual([null, 'SIGKILL'])
  s3.onRequest = undefined
  const store = storeOf(s3)
  expect(await store.open('large.rec')).toBeUndefined()
  expect(await once(upload(), 'exit')).toEqual([0, null])
  expect(sentParts()).toEqual(['1', '2', '3', '3', '4'])
  expect(await readdir(folder)).toEqual(['large.rec'])
  await using stored = await store.open('large.rec')
  expect(stored?.size).toBe(content.length)
  expect((await stored?.readAt(9_999_990, 1_000_000))?.equals(content.subarray(9_999_990, 10_999_990))).toBe(true)
  expect(await stored?.readAt(content.length - 5, 100)).toEqual(content.subarray(-5))
  await store.remove('large.rec')
})

async function finish(world: World, client: ApiClient, text: string): Promise<string> {
  await using terminal = await TerminalClient.open(client, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
  terminal.type(`printf '%s\\n' ${text}; exit\r`)
  await terminal.closed()
  return session.id
}

test('a finished session goes to the bucket, is announced then, and is played and searched from there', { timeout: 90_000 }, async () => {
  await using world = await createWorld({ people: ['alice'], settings: { recordingsUri: s3.uri } })
  const alice = await world.signIn('alice')
  const cluster = { clusterId: world.cluster }
  const uploads = async (): Promise<unknown[]> => {
    const { events } = await alice.call(searchEvents, { params: cluster, query: { include: 'session.upload', limit: 100 } })
    return events.map(({ sid }) => sid)
  }
  const here = async (sid: string): Promise<string[]> =>
    (await readdir(join(world.dataDir, 'recordings', 'closed'), { recursive: true })).filter((name) => name.includes(sid))
  const sid = await finish(world, alice, 'kept')
  await expect.poll(uploads).toEqual([sid])
  await expect.poll(() => here(sid)).toEqual([])
  const { events } = await alice.call(searchEvents, { params: cluster, query: { include: 'session.upload' } })
  expect(events[0]).toMatchObject({ code: 'T2005I', user: 'alice', url: `s3://recordings/cluster/${sid}.rec` })

  const params = { ...cluster, sid }
  expect(await alice.call(outline, { params })).toMatchObject({ seal: 'signed' })
  expect((await alice.call(keyframe, { params })).prints.length).toBeGreaterThan(0)
  expect((await alice.call(recordingEvents, { params })).events.at(-1)).toMatchObject({ event: 'session.end' })
  expect(await (await alice.fetch(callPath(recordingStream.path, params))).text()).toContain('kept')
  await expect.poll(async () => (await alice.call(search, { params: cluster, query: { query: 'kept' } })).hits[0]).toMatchObject({ sid })

  // While the bucket is away, sessions are recorded and played from here; they follow when it is back.
  s3.isAway = true
  const later = await finish(world, alice, 'waiting')
  await vi.waitFor(() => alice.call(outline, { params: { ...cluster, sid: later } }), { timeout: 20_000 })
  expect(await uploads()).toEqual([sid])
  expect((await here(later)).length).toBeGreaterThan(0)
  s3.isAway = false
  await expect.poll(uploads).toEqual([later, sid])
})

test(
  'recordings that are too old go from the bucket and from the search, not before; what fails is tried again',
  { timeout: 60_000 },
  async () => {
    await using bucket = await startS3()
    const store = storeOf(bucket)
    const recordings = createRecordings(folder, { sealer: createSealer(newSealKey()), remote: store })
    const key = randomBytes(32)
    const index = { kind: 'sqlite' as const, file: join(folder, 'search.db') }
    const log = createLog('silent')
    await using library = createLibrary({ recordings, thread: createLibraryThread({ directory: folder, key, index }), key, log })
    const sids = [randomUUID(), randomUUID()]
    for (const sid of sids) {
      const none = (): void => undefined
      const recorder = await recordings.create({ sid, start: Date.now(), elapsed: () => 0, onDrain: none, onFailure: none })
      recorder.event({ event: 'session.start', user: 'alice', size: '80:25' })
      recorder.print(Buffer.from('kept for a month\r\n'))
      await recorder.finish()
      await recordings.seal(sid)
      library.add(sid)
      await library.settled()
      const { index: headers, seal, keyFrames, recording } = recordings.filesOf(sid)
      for (const file of [headers, seal, keyFrames, recording]) await store.put(basename(file), file)
      await recordings.removeHere(sid)
    }
    const objects = async (): Promise<string[]> => (await Array.fromAsync(store.list())).map(({ name }) => name)
    const found = async (): Promise<string[]> => {
      const query = readTextQuery('kept for a month') ?? expect.fail()
      const { hits } = await library.search({ query, limit: 10, perRecording: 10, accepts: () => true })
      return hits.map(({ sid }) => sid).toSorted()
    }
    const days = (count: number): number => Date.now() + count * 24 * 3_600_000
    let now = days(29)
    await using retention = startRetention({ recordings, library, days: 30, clock: { now: () => now }, log })
    await retention.sweep()
    expect(await objects()).toHaveLength(8)
    expect(await found()).toEqual(sids.toSorted())
    now = days(31)
    // The bucket goes away in the middle of the first, and does not come back for the second.
    bucket.onRequest = (request) => void (bucket.isAway ||= request.startsWith('DELETE') && request.includes('.seal'))
    await retention.sweep()
    bucket.onRequest = undefined
    bucket.isAway = false
    const left = await objects()
    for (const sid of sids) expect(left).toContain(`${sid}.rec`)
    await retention.sweep()
    expect(await objects()).toEqual([])
    expect(await found()).toEqual([])
    expect(await recordings.sealed()).toEqual([])
  },
)

/** Recordings that are kept in a bucket, over the real protocol. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createS3Store } from '@sallyport/proxy/core/recordings/remote/s3-store.ts'
import { readRecordingsUri } from '@sallyport/proxy/core/recordings/remote/recordings-uri.ts'
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
  await expect.poll(uploads, { timeout: 20_000 }).toEqual([sid])
  await expect.poll(() => here(sid)).toEqual([])
  const { events } = await alice.call(searchEvents, { params: cluster, query: { include: 'session.upload' } })
  expect(events[0]).toMatchObject({ code: 'T2005I', user: 'alice', url: `s3://recordings/cluster/${sid}.rec` })

  const params = { ...cluster, sid }
  expect(await alice.call(outline, { params })).toMatchObject({ seal: 'signed' })
  expect((await alice.call(keyframe, { params })).prints.length).toBeGreaterThan(0)
  expect((await alice.call(recordingEvents, { params })).events.at(-1)).toMatchObject({ event: 'session.end' })
  expect(await (await alice.fetch(callPath(recordingStream.path, params))).text()).toContain('kept')
  expect((await alice.call(search, { params: cluster, query: { query: 'kept' } })).hits[0]).toMatchObject({ sid })

  // While the bucket is away, sessions are recorded and played from here; they follow when it is back.
  s3.isAway = true
  const later = await finish(world, alice, 'waiting')
  await vi.waitFor(() => alice.call(outline, { params: { ...cluster, sid: later } }), { timeout: 20_000 })
  expect(await uploads()).toEqual([sid])
  expect((await here(later)).length).toBeGreaterThan(0)
  s3.isAway = false
  await expect.poll(uploads, { timeout: 30_000 }).toEqual([later, sid])
})

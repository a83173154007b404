/** Uploads whose connection breaks: what came is kept, the rest follows, and the audit log tells of one file. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { dropUpload, keptUpload } from '@sallyport/wire/calls/transfer.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { transferPath, uploadFile } from './transfer-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let bob: ApiClient
let folder: string
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob'] })
  alice = await world.signIn('alice')
  bob = await world.signIn('bob')
  folder = await mkdtemp(join(homedir(), '.sallyport-kept-'))
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
const bytes = randomBytes(3_000_001)
const place = () => ({ cluster: world.cluster, serverId: world.agentId, login: ownLogin })
const params = (uploadId: string) => ({ clusterId: world.cluster, serverId: world.agentId, login: ownLogin, uploadId })
const query = (filename: string, uploadId: string, offset = 0) => ({
  location: `${folder}/`,
  filename,
  uploadId,
  offset: `${offset}`,
  size: `${bytes.length}`,
})
const received = async (client: ApiClient, uploadId: string): Promise<number> =>
  (await client.call(keptUpload, { params: params(uploadId) })).received

async function outcomes(filename: string): Promise<string[]> {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
  return events.filter((event) => String(event['path']).endsWith(filename) && /^T300/.test(event.code ?? '')).map(({ code }) => code ?? '')
}

/** Sends the first bytes of a body that was announced in full, and breaks the connection when the proxy has them. */
async function breakOff(filename: string, uploadId: string, count: number): Promise<void> {
  const broken = Promise.withResolvers<void>()
  const sending = request(world.url + transferPath(place(), query(filename, uploadId)), {
    method: 'POST',
    headers: { cookie: alice.cookieHeader, authorization: `Bearer ${alice.bearer}`, 'content-length': bytes.length },
  })
  sending.on('error', () => broken.resolve())
  sending.write(bytes.subarray(0, count))
  await expect.poll(() => received(alice, uploadId).catch(() => 0)).toBe(count)
  sending.destroy()
  await broken.promise
}

test('the rest follows on another connection, and is told of once', async () => {
  const id = randomUUID()
  await breakOff('rest.bin', id, 1_000_000)
  expect(await received(alice, id)).toBe(1_000_000)
  const answer = await uploadFile(alice, place(), query('rest.bin', id, 1_000_000), bytes.subarray(1_000_000))
  expect([answer.status, answer.message]).toEqual([200, ''])
  expect(sha256(await readFile(join(folder, 'rest.bin')))).toBe(sha256(bytes))
  expect(await outcomes('rest.bin')).toEqual(['T3005I'])
  // For whom the answer got lost.
  expect(await received(alice, id)).toBe(bytes.length)
  expect(await uploadFile(alice, place(), query('rest.bin', id, bytes.length), '')).toMatchObject({ status: 200 })
  expect(await outcomes('rest.bin')).toEqual(['T3005I'])
})

test('a body that is sent again from its beginning makes the same file', async () => {
  const id = randomUUID()
  await breakOff('again.bin', id, 700_000)
  const answer = await uploadFile(alice, place(), query('again.bin', id), bytes)
  expect([answer.status, answer.message]).toEqual([200, ''])
  expect(sha256(await readFile(join(folder, 'again.bin')))).toBe(sha256(bytes))
  expect(await outcomes('again.bin')).toEqual(['T3005I'])
})

test('nobody goes on with what is not theirs, with a gap, or past the end', async () => {
  const id = randomUUID()
  await breakOff('mine.bin', id, 500_000)
  await expect(received(bob, id)).rejects.toMatchObject({ status: 404 })
  await expect(bob.call(dropUpload, { params: params(id) })).rejects.toMatchObject({ status: 404 })
  expect(await uploadFile(bob, place(), query('mine.bin', id, 500_000), bytes.subarray(500_000))).toMatchObject({ status: 400 })
  expect(await uploadFile(alice, place(), query('mine.bin', id, 500_001), bytes.subarray(500_001))).toMatchObject({ status: 400 })
  const longer = Buffer.concat([bytes.subarray(500_000), Buffer.from('x')])
  expect(await uploadFile(alice, place(), query('mine.bin', id, 500_000), longer)).toMatchObject({ status: 400 })
  expect(await uploadFile(alice, place(), { ...query('mine.bin', id), size: '' }, bytes)).toMatchObject({ status: 400 })
})

test('one that is given up leaves nothing behind', async () => {
  const id = randomUUID()
  await breakOff('given-up.bin', id, 500_000)
  expect(existsSync(join(folder, 'given-up.bin'))).toBe(true)
  await alice.call(dropUpload, { params: params(id) })
  expect(existsSync(join(folder, 'given-up.bin'))).toBe(false)
  await expect(received(alice, id)).rejects.toMatchObject({ status: 404 })
  expect(await outcomes('given-up.bin')).toEqual(['T3005E'])
})

/** Files through the real proxy: who may not, what stops a copy half way, and what is left of it. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { ClientRequest, IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { tcpRoute } from '@sallyport/proxy/core/tunnel/tunnel.ts'
import { readAuthPreference, writeAuthPreference } from '@sallyport/wire/calls/cluster-config.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { authenticateChallenge, devices as listDevices } from '@sallyport/wire/calls/mfa.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { withKey } from './key-holder.ts'
import { ownLogin } from './people.ts'
import { downloadFile, transferPath, uploadFile, type Place } from './transfer-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let bob: ApiClient
let folder: string

beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob', 'dan'] })
  alice = await world.signIn('alice')
  bob = await world.signIn('bob')
  folder = await mkdtemp(join(tmpdir(), 'sallyport-transfer-'))
  await writeFile(join(folder, 'file.txt'), 'text')
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

const agent = (changes: Partial<Place> = {}): Place => ({ cluster: world.cluster, serverId: world.agentId, login: ownLogin, ...changes })
const here = () => ({ clusterId: world.cluster })

/** The newest events of these codes first. */
async function audited(...codes: string[]): Promise<AuditEventWire[]> {
  const { events } = await alice.call(searchEvents, { params: here(), query: { limit: 1000 } })
  return events.filter(({ code }) => codes.includes(code ?? ''))
}

/** A request whose body is sent, and whose answer is read, piece by piece. */
function slowly(client: ApiClient, method: 'GET' | 'POST', path: string, length = 0): ClientRequest {
  return request(client.origin + path, {
    method,
    headers: {
      cookie: client.cookieHeader,
      authorization: `Bearer ${client.bearer}`,
      ...(method === 'POST' && { 'content-length': length }),
    },
  })
}
async function answerOf(sent: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}
/** To be begun before anything breaks it: that is told to those alone who listen when it happens. */
const breaksOff = (answer: IncomingMessage): Promise<void> => expect(once(answer, 'end')).rejects.toThrow('aborted')
/** Longer than what fits into all buffers on the way. */
async function bigFile(name: string): Promise<string> {
  const path = join(folder, name)
  const file = await open(path, 'w')
  await file.truncate(200_000_000)
  await file.close()
  return path
}

test('a login that roles do not allow, a server that is not there and a cluster of others are refused', async () => {
  const location = join(folder, 'file.txt')
  const refusal = async (client: ApiClient, place: Place) => {
    const { status, message } = await downloadFile(client, place, { location })
    return [status, message]
  }
  expect(await refusal(bob, agent({ login: 'nobody' }))).toEqual([403, expect.stringContaining('No role allows the login "nobody"')])
  expect(await refusal(await world.signIn('dan'), agent())).toEqual([404, expect.any(String)])
  expect(await refusal(bob, agent({ serverId: 'elsewhere' }))).toEqual([404, expect.stringContaining('elsewhere')])
  expect(await refusal(bob, agent({ cluster: 'other' }))).toEqual([404, 'cluster "other" is not found'])
  expect((await audited('T3004E'))[0]).toMatchObject({ user: 'bob', login: 'nobody', exitError: expect.stringContaining('No role allows') })
})

test('R8-048: a role without ssh_file_copy: nothing is copied, and both protocols are refused in the audit log', async () => {
  const spec = { options: { ssh_file_copy: false } }
  await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'no-copy' }, spec }) } })
  await alice.call(updateUser, { body: { name: 'bob', roles: ['access', 'no-copy'] } })
  for (const answer of [
    await downloadFile(bob, agent(), { location: join(folder, 'file.txt') }),
    await uploadFile(bob, agent(), { location: folder, filename: 'never' }, 'x'),
  ])
    expect(answer).toMatchObject({ status: 403, message: expect.stringContaining('do not allow copying files') })
  expect(existsSync(join(folder, 'never'))).toBe(false)
  expect((await audited('T3010E', 'TS020E')).map(({ code, user, login }) => [code, user, login])).toEqual([
    ['TS020E', 'bob', ownLogin],
    ['T3010E', 'bob', ownLogin],
    ['TS020E', 'bob', ownLogin],
    ['T3010E', 'bob', ownLogin],
  ])
  await alice.call(updateUser, { body: { name: 'bob', roles: ['access'] } })
})

test('R7-070, R7-071: the ids of a moderated session come together, and one that nobody approved is refused', async () => {
  const location = join(folder, 'file.txt')
  const id = '0b8c1f6e-2d6a-4c58-9a55-3c1f6e0b8c1f'
  for (const half of [{ moderatedSessionId: id }, { fileTransferRequestId: id }, { moderatedSessionId: id, fileTransferRequestId: '' }])
    expect(await downloadFile(alice, agent(), { location, ...half })).toMatchObject({
      status: 400,
      message: expect.stringContaining('must be given together'),
    })
  const none = { moderatedSessionId: '', fileTransferRequestId: '' }
  expect((await downloadFile(alice, agent(), { location, ...none })).status).toBe(200)
  const unknown = { moderatedSessionId: id, fileTransferRequestId: id }
  expect(await downloadFile(alice, agent(), { location, ...unknown })).toMatchObject({
    status: 403,
    message: expect.stringContaining('was not approved'),
  })
})

test('R7-072: where sessions ask for a key, a copy does too, each with a proof of its own', async () => {
  const { client, key } = await withKey(world, 'gwen')
  const { revision } = (await alice.call(readAuthPreference)).metadata
  await alice.call(writeAuthPreference, { body: { spec: { require_session_mfa: true }, revision, force: true } })
  const prove = async (): Promise<string> => {
    const { webauthn_challenge: challenge } = await client.call(authenticateChallenge)
    if (!challenge) throw new Error('no challenge for a key')
    return JSON.stringify({ webauthnAssertionResponse: key.get(challenge.publicKey, { origin: world.url }) })
  }
  const location = join(folder, 'file.txt')
  const copy = async (webauthn?: string) => {
    const { status, message } = await downloadFile(client, agent(), { location, ...(webauthn !== undefined && { webauthn }) })
    return [status, message]
  }
  expect(await copy()).toEqual([403, 'MFA required for file transfer'])
  expect(await copy('')).toEqual([403, 'MFA required for file transfer'])
  expect(await copy('{"x":1}')).toEqual([400, expect.stringContaining('webauthnAssertionResponse')])
  const proof = await prove()
  expect(await copy(proof)).toEqual([200, ''])
  expect(await copy(proof)).toEqual([403, expect.stringContaining('the file transfer was not confirmed')])
  // Some consoles add the JSON as it is; what browsers escape of it are the quotes.
  const raw = `${transferPath(agent(), { location })}&webauthn=${(await prove()).replaceAll('"', '%22')}`
  const answer = await answerOf(slowly(client, 'GET', raw).end())
  expect([answer.statusCode, await text(answer)]).toEqual([200, 'text'])
  const [device] = await client.call(listDevices)
  for (const event of (await audited('T3004I', 'TS001I')).filter(({ user }) => user === 'gwen'))
    expect(event, event.code).toMatchObject({ with_mfa: device?.id ?? 'none' })
  expect((await audited('T3004E')).filter(({ user }) => user === 'gwen')[0]).toMatchObject({
    exitError: expect.stringContaining('not confirmed'),
  })
  const stored = (await alice.call(readAuthPreference)).metadata
  await alice.call(writeAuthPreference, { body: { spec: {}, revision: stored.revision } })
})

test('R8-044: a lock cuts a download and an upload that are under way', async () => {
  const location = await bigFile('big-locked')
  const down = await answerOf(slowly(bob, 'GET', transferPath(agent(), { location })).end())
  await once(down, 'readable')
  const up = slowly(bob, 'POST', transferPath(agent(), { location: `${folder}/`, filename: 'half-locked' }), 1_000_000)
  up.write(Buffer.alloc(100_000))
  await expect.poll(() => existsSync(join(folder, 'half-locked'))).toBe(true)
  const refused = answerOf(up)
  const cut = breaksOff(down)
  const { name } = await alice.call(locks.put, { params: here(), body: { targets: { user: 'bob' }, message: 'out' } })
  down.resume()
  await cut
  const answer = await refused
  expect([answer.statusCode, await text(answer)]).toEqual([403, expect.stringContaining('is in force: out')])
  await expect.poll(() => existsSync(join(folder, 'half-locked'))).toBe(false)
  const reason = 'lock targeting User:"bob" is in force: out'
  await expect.poll(async () => (await audited('T3004E', 'T3005E')).filter((event) => event['exitError'] === reason).length).toBe(2)
  await expect
    .poll(async () => (await audited('T3006I')).map(({ user, reason: told }) => [user, told]))
    .toEqual([
      ['bob', reason],
      ['bob', reason],
    ])
  await alice.call(locks.remove, { params: { ...here(), uuid: name } })
})

test('whoever goes away in the middle leaves no part of a new file behind, and all of the space that it took', async () => {
  const up = slowly(alice, 'POST', transferPath(agent(), { location: `${folder}/`, filename: 'half' }), 1_000_000)
  up.on('error', () => undefined) // of our own going away
  up.write(Buffer.alloc(100_000))
  await expect.poll(() => existsSync(join(folder, 'half')) && statSync(join(folder, 'half')).size).toBe(100_000)
  up.destroy()
  await expect.poll(() => existsSync(join(folder, 'half'))).toBe(false)
  const down = await answerOf(slowly(alice, 'GET', transferPath(agent(), { location: await bigFile('big') })).end())
  await once(down, 'readable')
  down.destroy()
  const cancelled = async (code: string) => (await audited(code)).filter((event) => event['exitError'] === 'the transfer was cancelled')
  await expect.poll(async () => (await cancelled('T3005E')).length).toBe(1)
  await expect.poll(async () => (await cancelled('T3004E')).length).toBe(1)
})

test('a server that is lost in the middle: the download breaks off, the upload says so', async () => {
  const { sshd } = world
  if (!sshd) return
  const lines: { destroy(): void }[] = []
  const straight = tcpRoute(sshd)
  using _registration = world.proxy.dialer.register(sshd.id, async (signal) => {
    const stream = await straight(signal)
    lines.push(stream)
    return stream
  })
  const place = agent({ serverId: sshd.id })
  const down = await answerOf(slowly(alice, 'GET', transferPath(place, { location: await bigFile('big-lost') })).end())
  await once(down, 'readable')
  const up = slowly(alice, 'POST', transferPath(place, { location: folder, filename: 'half-lost' }), 1_000_000)
  up.write(Buffer.alloc(100_000))
  await expect.poll(() => existsSync(join(folder, 'half-lost'))).toBe(true)
  const refused = answerOf(up)
  const cut = breaksOff(down)
  for (const line of lines) line.destroy()
  up.write(Buffer.alloc(100_000))
  down.resume()
  await cut
  const answer = await refused
  expect([answer.statusCode, await text(answer)]).toEqual([504, expect.stringContaining('server')])
})

/** A file system of one megabyte; only root can make one. */
function smallDisk(): string | undefined {
  const place = join(folder, 'small')
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  spawnSync('mkdir', ['-p', place])
  return spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', place]).status === 0 ? place : undefined
}

test('a full disk is told as such, and what was written is taken away again', async ({ skip }) => {
  const place = smallDisk()
  if (place === undefined) return skip('only root can make a small disk')
  try {
    const answer = await uploadFile(alice, agent(), { location: place, filename: 'big' }, Buffer.alloc(3_000_000))
    expect([answer.status, answer.message]).toEqual([500, expect.stringContaining('no space is left')])
    await expect.poll(() => existsSync(join(place, 'big'))).toBe(false)
    expect((await audited('T3005E'))[0]).toMatchObject({ exitError: expect.stringContaining('no space is left') })
    expect((await uploadFile(alice, agent(), { location: place, filename: 'small' }, 'fits')).status).toBe(200)
  } finally {
    spawnSync('umount', [place])
  }
})

test('a directory comes as a tar where that is asked for, with what could not be read named in it', async () => {
  const tree = join(folder, 'tree')
  await mkdir(join(tree, 'sub dir'), { recursive: true })
  await writeFile(join(tree, 'a'), 'first')
  await writeFile(join(tree, 'sub dir', 'ünï'), 'second')
  await chmod(join(tree, 'a'), 0o750)
  await symlink('../outside', join(tree, 'link'))
  spawnSync('mkfifo', [join(tree, 'pipe')])
  const down = await downloadFile(alice, agent(), { location: tree, archive: 'tar' })
  expect([down.status, down.message, down.headers.get('content-disposition')]).toEqual([200, '', 'attachment;filename="tree.tar"'])
  const unpacked = await mkdtemp(join(folder, 'unpacked-'))
  expect(spawnSync('tar', ['-xf', '-', '-C', unpacked], { input: down.body }).status).toBe(0)
  expect(await readFile(join(unpacked, 'tree', 'a'), 'utf8')).toBe('first')
  expect(statSync(join(unpacked, 'tree', 'a')).mode & 0o777).toBe(0o750)
  expect(await readFile(join(unpacked, 'tree', 'sub dir', 'ünï'), 'utf8')).toBe('second')
  expect(await readFile(join(unpacked, 'tree', 'NOT-INCLUDED.txt'), 'utf8')).toBe(`${tree}/pipe: not a regular file\n`)
  expect(spawnSync('readlink', [join(unpacked, 'tree', 'link')], { encoding: 'utf8' }).stdout).toBe('../outside\n')
  expect((await audited('TS001I')).map((event) => event['path'])).toEqual(
    expect.arrayContaining([join(tree, 'a'), join(tree, 'sub dir/ünï')]),
  )
  expect(await downloadFile(alice, agent(), { location: join(tree, 'a'), archive: 'tar' })).toMatchObject({ status: 400 })
})

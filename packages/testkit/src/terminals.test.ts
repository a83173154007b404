/** Terminals, live sessions and recordings through the real proxy and the real agent. */
import { once } from 'node:events'
import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { decodeFrame } from '@sallyport/wire/sockets/terminal.ts'
import { searchEvents, searchSessions } from '@sallyport/wire/calls/events.ts'
import { signIn, signOut } from '@sallyport/wire/calls/session.ts'
import { recordingEvents, recordingLength } from '@sallyport/wire/calls/playback.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { endOfUser, own } from '@sallyport/wire/calls/sign-ins.ts'
import { completeUserToken, create, createUserToken, readUserToken, remove } from '@sallyport/wire/calls/users.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ApiClient } from './api-client.ts'
import { Authenticator } from './authenticator.ts'
import { ownLogin } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let bob: ApiClient
beforeAll(async () => {
  world = await createWorld()
  alice = await world.signIn('alice')
  bob = await world.signIn('bob')
})
afterAll(() => world[Symbol.asyncDispose]())

const open = (client: ApiClient, changes: Partial<Parameters<typeof TerminalClient.open>[1]> = {}): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: world.cluster, serverId: world.agentId, login: ownLogin, ...changes })

async function sidOf(terminal: TerminalClient): Promise<string> {
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
  return session.id
}

/** One finished session; what its shell printed holds `text`. */
async function finished(client: ApiClient, text: string): Promise<string> {
  await using terminal = await open(client)
  const sid = await sidOf(terminal)
  terminal.type(`printf '%s\\n' ${text}; exit\r`)
  await terminal.frame('c')
  await terminal.closed()
  return sid
}

async function audited(sid: string): Promise<AuditEventWire[]> {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000, order: 'asc' } })
  return events.filter((event) => event['sid'] === sid)
}

/** The answer that refuses an upgrade. */
async function refusal(
  client: ApiClient,
  parameters: unknown,
  changes: { bearer?: string; cluster?: string; origin?: string } = {},
): Promise<{ status: number; message: string }> {
  const query = new URLSearchParams({ access_token: changes.bearer ?? client.bearer ?? '' })
  if (parameters !== undefined) query.set('params', typeof parameters === 'string' ? parameters : JSON.stringify(parameters))
  const url = `${client.origin.replace('http', 'ws')}/v1/webapi/sites/${changes.cluster ?? world.cluster}/connect?${query}`
  const socket = new WebSocket(url, { headers: { cookie: client.cookieHeader, origin: changes.origin ?? client.origin } })
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  const body = (await json(answer)) as { error: { message: string } }
  return { status: answer.statusCode ?? 0, message: body.error.message }
}

async function stream(
  client: ApiClient,
  sid: string,
  search: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string; body: Buffer }> {
  const answer = await fetch(`${client.origin}/v1/webapi/sites/${world.cluster}/sessions/${sid}/stream${search}`, {
    headers: { cookie: client.cookieHeader, authorization: `Bearer ${client.bearer}`, ...headers },
  })
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', body: Buffer.from(await answer.arrayBuffer()) }
}

const params = (sid: string): { clusterId: string; sid: string } => ({ clusterId: world.cluster, sid })
const term = { h: 24, w: 80 }

test('R7-142: a shell echoes what is typed; a wrong bearer, parameter or place is refused before the upgrade', async () => {
  await using terminal = await open(alice, { serverId: agentHostname })
  terminal.type('echo hel""lo\r')
  await terminal.see('hello')
  const whole = { server_id: world.agentId, login: ownLogin, term }
  const cases: [number, string, Promise<{ status: number; message: string }>][] = [
    [403, 'bad bearer token', refusal(alice, whole, { bearer: bob.bearer ?? '' })],
    [403, '', refusal(alice, whole, { bearer: 'forged' })],
    [403, '', refusal(alice, whole, { origin: 'https://elsewhere.example.com' })],
    [404, 'cluster "other" is not found', refusal(alice, whole, { cluster: 'other' })],
    [400, 'missing params', refusal(alice, undefined)],
    [400, 'params: not valid JSON', refusal(alice, '{')],
    [400, 'sid: invalid session id', refusal(alice, { ...whole, sid: 'x' })],
    [400, 'login: missing login', refusal(alice, { ...whole, login: '' })],
    [400, 'server: missing server', refusal(alice, { ...whole, server_id: '' })],
    [400, 'term: bad dimensions(80x0)', refusal(alice, { ...whole, term: { h: 0, w: 80 } })],
    [404, 'not found', refusal(alice, { ...whole, server_id: randomUUID() })],
    [404, 'not found', refusal(await world.signIn('dan'), whole)],
    [404, 'SSH session', refusal(alice, { sid: randomUUID(), term })],
  ]
  for (const [status, message, answer] of cases) {
    await expect(answer).resolves.toMatchObject({ status, message: expect.stringContaining(message) as string })
  }
})

test('what cannot be reached is said in the terminal, and audited', async () => {
  for (const [changes, text] of [
    [{ login: 'nobody-has-this' }, 'access to node denied'],
    [{ serverId: 'no-such-host' }, 'server "no-such-host" is not registered here'],
  ] as const) {
    await using terminal = await open(bob, changes)
    await terminal.closed()
    expect(terminal.output).toContain(text)
    expect(terminal.output).toMatch(/\r\n$/)
    expect(terminal.frames).toEqual([])
  }
  const { events } = await alice.call(searchEvents, {
    params: { clusterId: world.cluster },
    query: { limit: 1000, include: 'session.rejected' },
  })
  expect(events).toMatchObject([
    { code: 'T1006W', user: 'bob', server_id: 'no-such-host' },
    { code: 'T1006W', user: 'bob', login: 'nobody-has-this', server_id: world.agentId },
  ])
})

test('R7-073: a running session is listed for its owner and for nobody who may not see it, and not once it has ended', async () => {
  await using terminal = await open(alice)
  const sid = await sidOf(terminal)
  const listed = async (client: ApiClient) =>
    (await client.call(activeSessions, { params: { clusterId: '-current-' } })).sessions.filter(({ id }) => id === sid)
  expect(await listed(alice)).toMatchObject([
    {
      kind: 'ssh',
      login: ownLogin,
      server_hostname: agentHostname,
      cluster_name: '-current-',
      parties: [{ user: 'alice' }],
      participantModes: ['observer', 'moderator', 'peer'],
    },
  ])
  expect(await listed(bob)).toEqual([])
  terminal.type('exit\r')
  await terminal.frame('c')
  expect(await listed(alice)).toEqual([])
})

test('R3-091: the owner comes back to a running session and is a party of it each time; somebody else is refused', async () => {
  await using first = await open(alice)
  const sid = await sidOf(first)
  first.type('echo from the fi""rst\r')
  await first.see('from the first')
  await using second = await open(alice, { serverId: undefined, login: undefined, sid } as never)
  await second.see('from the first')
  expect(JSON.parse(await second.frame('s'))).toMatchObject({ session: { id: sid, parties: [{ user: 'alice' }] } })
  const { sessions } = await alice.call(activeSessions, { params: { clusterId: world.cluster } })
  expect(sessions.find(({ id }) => id === sid)?.parties).toMatchObject([{ user: 'alice' }, { user: 'alice' }])
  first.resize(101, 31)
  expect(JSON.parse(await second.frame('a'))).toMatchObject({ event: 'resize', size: '101:31' })
  expect(await refusal(bob, { sid, term })).toMatchObject({ status: 403 })
  second.type('exit\r')
  await first.frame('c')
})

test('R7-074, R8-023, R8-024, R8-033, R8-034, R8-051, R8-083: a finished session is audited, listed and played back byte by byte', async () => {
  await using terminal = await open(alice, { columns: 90, rows: 25 })
  const sid = await sidOf(terminal)
  const received: Uint8Array[] = []
  terminal.socket.on('message', (data: Buffer) => {
    const { type, payload } = decodeFrame(data)
    if (type === 'r') received.push(Uint8Array.from(payload))
  })
  terminal.resize(120, 40)
  terminal.type('head -c 1000000 /dev/urandom; exit\r')
  await terminal.frame('c')
  await terminal.closed()

  // A terminal does not wait for a log that is slow.
  await expect
    .poll(async () => (await audited(sid)).map(({ code }) => code))
    .toEqual(['T2000I', 'T2001I', 'T2002I', 'T2003I', 'T2004I', 'T2006I', 'T2005I'])
  const traffic = (await audited(sid)).find(({ code }) => code === 'T2006I')
  expect(traffic).toMatchObject({ rx: 'head -c 1000000 /dev/urandom; exit\r'.length, ei: 2147483646 })
  expect(traffic?.['tx']).toBeGreaterThan(1_000_000)
  const { events: rows } = await alice.call(searchSessions, { params: { clusterId: world.cluster }, query: { limit: 10 } })
  expect(rows.find((row) => row['sid'] === sid)).toMatchObject({
    interactive: true,
    participants: ['alice'],
    session_recording: 'node-sync',
    server_hostname: agentHostname,
    proto: 'ssh',
  })

  const { events } = await alice.call(recordingEvents, { params: params(sid) })
  expect(events.map(({ ei }) => ei)).toEqual(events.map((_, index) => index))
  expect(events[0]).toMatchObject({ event: 'session.start', size: '90:25', sid })
  expect(events.find(({ event }) => event === 'resize')).toMatchObject({ size: '120:40' })
  expect(events.at(-1)).toMatchObject({ event: 'session.end' })
  const prints = events.filter(({ event }) => event === 'print')
  expect(prints[0]).toMatchObject({
    ms: expect.any(Number) as number,
    offset: 0,
    bytes: expect.any(Number) as number,
    ci: expect.any(Number) as number,
  })

  const whole = await stream(alice, sid, '')
  expect(whole).toMatchObject({ status: 200, type: 'application/octet-stream' })
  expect(whole.body).toHaveLength(prints.reduce((sum, print) => sum + Number(print['bytes']), 0))
  const shown = Buffer.concat(received)
  expect(whole.body.subarray(-shown.length).equals(shown)).toBe(true)
  expect((await stream(alice, sid, '?offset=1000&bytes=5000', { 'accept-encoding': 'identity' })).body).toEqual(
    whole.body.subarray(1000, 6000),
  )
  expect((await stream(alice, sid, '?offset=1000&bytes=5000', { 'accept-encoding': 'gzip' })).body).toEqual(whole.body.subarray(1000, 6000))
  expect((await stream(alice, sid, `?offset=${whole.body.length}&bytes=5`)).body).toHaveLength(0)
  for (const bytes of ['-1', 'x']) expect((await stream(alice, sid, `?offset=0&bytes=${bytes}`)).body).toHaveLength(whole.body.length)
  expect(await alice.call(recordingLength, { params: params(sid) })).toMatchObject({ recordingType: 'ssh' })
  expect((await audited(sid)).filter(({ code }) => code === 'T2012I')).toMatchObject([{ user: 'alice' }])
})

test('a recording is played by its participants and by those who may play all, and by nobody else', async () => {
  const hers = await finished(alice, 'hers')
  const his = await finished(bob, 'his')
  const carol = await world.signIn('carol')
  const dan = await world.signIn('dan')
  for (const [client, sid, status] of [
    [alice, hers, 200],
    [bob, his, 200],
    [carol, hers, 200],
    [carol, his, 200],
    [bob, hers, 403],
    [dan, his, 403],
    [carol, randomUUID(), 404],
    [dan, randomUUID(), 403],
    [carol, 'x', 400],
  ] as const) {
    const played = await stream(client, sid, '')
    expect(played.status).toBe(status)
    if (status === 403 || status === 404) expect(played.type).toContain('text/plain')
    const listed = client.call(recordingEvents, { params: params(sid) })
    if (status === 200) await expect(listed).resolves.toMatchObject({ startKey: '' })
    else await expect(listed).rejects.toMatchObject({ status })
  }
  await expect(carol.call(recordingEvents, { params: params('00000000-0000-4000-8000-000000000000') })).rejects.toThrow(
    'unable to find events for session',
  )
})

test('signing out closes the terminal and ends the session', async () => {
  const other = await world.signIn('alice')
  await using terminal = await open(other)
  const sid = await sidOf(terminal)
  await other.call(signOut)
  await terminal.closed()
  expect(terminal.output).toContain('you were signed out')
  await expect
    .poll(async () => (await audited(sid)).map(({ code }) => code))
    .toEqual(['T2000I', 'T2001I', 'T3006I', 'T2003I', 'T2004I', 'T2006I', 'T2005I'])
})

test('an administrator who ends one sign-in closes its terminals and no others; deleting the user closes the rest', async () => {
  await alice.call(create, { body: { name: 'erin', roles: ['access'], traits: { logins: [ownLogin] } } })
  const { tokenId } = await alice.call(createUserToken, { body: { name: 'erin', type: 'invite' } })
  const first = new ApiClient(world.url)
  await first.loadPage()
  const { totpSecret } = await first.call(readUserToken, { params: { tokenId } })
  const app = new Authenticator(totpSecret)
  const body = { token: tokenId, password: Buffer.from('a good password').toString('base64'), second_factor_token: await app.code() }
  await first.call(completeUserToken, { body })
  await first.loadPage()
  const second = new ApiClient(world.url)
  await second.loadPage()
  const session = await second.call(signIn, { body: { user: 'erin', pass: 'a good password', second_factor_token: await app.code() } })
  second.bearer = session.token
  await using stays = await open(first)
  await using goes = await open(second)
  await sidOf(stays)
  const sid = await sidOf(goes)
  const current = (await second.call(own)).find((one) => one.current)
  await alice.call(endOfUser, { params: { name: 'erin', id: current?.id ?? '' } })
  await goes.closed()
  await expect.poll(async () => (await audited(sid)).map(({ event }) => event)).toContain('session.end')
  expect(stays.closedByServer).toBe(false)
  await alice.call(remove, { params: { name: 'erin' } })
  await stays.closed()
})
test('a paste of 10 MB arrives whole', async () => {
  await using terminal = await open(alice)
  await sidOf(terminal)
  terminal.type('stty raw -echo; echo re""ady; head -c 10000000 | cksum; exit\r')
  await terminal.see('ready')
  terminal.type('a'.repeat(10_000_000))
  await terminal.frame('c')
  expect(terminal.output).toContain('217248204 10000000')
})

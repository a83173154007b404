/** Several people in one terminal, through the real proxy and the real agent: joining, moderation, coming back. */
import diagnostics from 'node:diagnostics_channel'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { json } from 'node:stream/consumers'
import { ask } from '@sallyport/cli/admin-client.ts'
import { callPath } from '@sallyport/wire/call.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { registerChallenge } from '@sallyport/wire/calls/mfa.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { recordingStream } from '@sallyport/wire/calls/playback.ts'
import { activeSessions, endSession, removeParty } from '@sallyport/wire/calls/sessions.ts'
import { completeUserToken, create as createUser, createUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import type { ActiveSessionWire } from '@sallyport/wire/entities/session-tracker.ts'
import { authenticateChallengeWire } from '@sallyport/wire/entities/mfa.ts'
import { encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ApiClient } from './api-client.ts'
import { Authenticator } from './authenticator.ts'
import { ownLogin } from './people.ts'
import { SoftwareKey } from './software-key.ts'
import { TerminalClient } from './terminal-client.ts'
import type { TerminalTarget } from './terminal-client.ts'
import { downloadFile } from './transfer-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let bob: ApiClient
let carol: ApiClient
let dan: ApiClient
/** Whose sessions are moderated. */
let mona: ApiClient
/** Connections that the proxy has taken. */
const connections = new Set<Socket>()
const onConnection = (message: unknown): void => {
  const { socket } = message as { socket: Socket }
  connections.add(socket)
  socket.once('close', () => connections.delete(socket))
}

beforeAll(async () => {
  diagnostics.subscribe('net.server.socket', onConnection)
  world = await createWorld({ people: ['alice'] })
  alice = await world.signIn('alice')
  await role('watching', { allow: { join_sessions: [{ name: 'w', roles: ['access'], kinds: ['ssh'], modes: ['observer'] }] } })
  await role('typing', { allow: { join_sessions: [{ name: 't', roles: ['acc*'], kinds: ['*'], modes: ['peer'] }] } })
  await role('guiding', { allow: { join_sessions: [{ name: 'g', roles: ['*'], kinds: ['ssh'], modes: ['moderator', 'observer'] }] } })
  await role('careful', { options: { require_session_mfa: true } })
  await role('watched', {
    allow: {
      require_session_join: [
        { name: 'eyes', filter: 'contains(user.spec.roles, "guiding")', kinds: ['ssh'], modes: ['moderator'], on_leave: 'pause' },
      ],
    },
  })
  await role('nothing', {})
  bob = await person('ben', ['access', 'watching', 'typing'])
  carol = await person('cara', ['guiding'])
  dan = await person('dora', ['nothing'])
  mona = await person('mona', ['access', 'watched'])
})
afterAll(async () => {
  diagnostics.unsubscribe('net.server.socket', onConnection)
  await world[Symbol.asyncDispose]()
})

const role = (name: string, spec: unknown) =>
  alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec }) } })
/** Somebody new, signed in. */
async function person(name: string, roles: string[]): Promise<ApiClient> {
  await alice.call(createUser, { body: { name, roles, traits: { logins: [ownLogin] } } })
  const { tokenId } = await alice.call(createUserToken, { body: { name, type: 'invite' } })
  const client = new ApiClient(world.url)
  await client.loadPage()
  const { totpSecret } = await client.call(readUserToken, { params: { tokenId } })
  const password = Buffer.from(`the words of ${name}`).toString('base64')
  const second_factor_token = await new Authenticator(totpSecret).code()
  await client.call(completeUserToken, { body: { token: tokenId, password, second_factor_token } })
  await client.loadPage()
  return client
}
const open = (client: ApiClient, changes: Partial<TerminalTarget> = {}): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: world.cluster, serverId: world.agentId, login: ownLogin, ...changes })
const join = (client: ApiClient, sid: string, more: Partial<TerminalTarget> = {}): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: world.cluster, sid, ...more })
interface Facts {
  id: string
  resume: { token: string; offset: number }
  moderated: boolean
}
const factsOf = async (terminal: TerminalClient): Promise<Facts> => (JSON.parse(await terminal.frame('s')) as { session: Facts }).session
const listed = async (client: ApiClient, sid: string): Promise<ActiveSessionWire | undefined> =>
  (await client.call(activeSessions, { params: { clusterId: world.cluster } })).sessions.find(({ id }) => id === sid)
async function audited(code: string, sid?: string): Promise<AuditEventWire[]> {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000, order: 'asc' } })
  return events.filter((event) => event.code === code && (sid === undefined || event['sid'] === sid))
}
async function refusal(client: ApiClient, sid: string, mode: string): Promise<{ status: number; message: string }> {
  const query = new URLSearchParams({ access_token: client.bearer ?? '', params: JSON.stringify({ sid, mode, term: { h: 24, w: 80 } }) })
  const url = `${client.origin.replace('http', 'ws')}/v1/webapi/sites/${world.cluster}/connect?${query}`
  const socket = new WebSocket(url, { headers: { cookie: client.cookieHeader, origin: client.origin } })
  const [, answer] = (await once(socket, 'unexpected-response')) as [unknown, IncomingMessage]
  const body = (await json(answer)) as { error: { message: string } }
  return { status: answer.statusCode ?? 0, message: body.error.message }
}

test('R7-073, R3-091, R8-025, R8-026: people join as their roles say, are parties, and nobody else sees the session or gets in', async () => {
  await using owner = await open(alice)
  const { id: sid } = await factsOf(owner)
  expect((await listed(alice, sid))?.participantModes).toEqual(['observer', 'moderator', 'peer'])
  expect((await listed(bob, sid))?.participantModes).toEqual(['observer', 'peer'])
  expect((await listed(carol, sid))?.participantModes).toEqual(['observer', 'moderator'])
  expect(await listed(dan, sid)).toBeUndefined()
  expect(await refusal(dan, sid, 'observer')).toEqual({ status: 403, message: `access denied to join session ${sid} as observer` })
  expect(await refusal(bob, sid, 'moderator')).toMatchObject({ status: 403 })
  expect(await refusal(carol, sid, 'peer')).toMatchObject({ status: 403 })
  expect(await audited('T1006W')).toMatchObject(
    ['dora', 'ben', 'cara'].map((user) => ({
      user,
      login: ownLogin,
      server_id: world.agentId,
      reason: expect.stringContaining(sid) as string,
    })),
  )

  owner.type('echo se""en\r')
  await owner.see('seen')
  await using observer = await join(bob, sid, { mode: 'observer' })
  await observer.see('seen')
  await using peer = await join(bob, sid, { mode: 'peer' })
  observer.type('echo not""hing\r')
  peer.type('echo from a pe""er\r')
  await owner.see('from a peer')
  await observer.see('from a peer')
  expect(owner.output).not.toContain('nothing')
  await owner.see('ben joined the session as peer')
  expect((await listed(alice, sid))?.parties).toMatchObject([
    { user: 'alice', mode: 'peer' },
    { user: 'ben', mode: 'observer' },
    { user: 'ben', mode: 'peer' },
  ])
  // Who comes does not wait until that is written down.
  await expect.poll(async () => (await audited('T2001I', sid)).map(({ user }) => user)).toEqual(['alice', 'ben', 'ben'])
  observer.type('\u0003')
  await observer.closed()
  await expect.poll(async () => (await audited('T2003I', sid)).map(({ user }) => user)).toEqual(['ben'])
  owner.type('exit\r')
  await peer.frame('c')
})

test('a moderator ends the session with t, and so may those who may place locks; others may not', async () => {
  await using owner = await open(bob)
  const { id: sid } = await factsOf(owner)
  await using moderator = await join(carol, sid, { mode: 'moderator' })
  await moderator.see('press t to end it for everybody')
  moderator.type('t')
  await owner.see('The session is closed: cara ended it.')
  await owner.closed()
  expect(await listed(bob, sid)).toBeUndefined()
  // It is gone for everybody, also while its end is being written down.
  expect(await refusal(bob, sid, 'peer')).toEqual({ status: 404, message: `SSH session ${sid} not found` })

  await using second = await open(mona)
  const { id } = await factsOf(second)
  const params = { clusterId: world.cluster, sid: id }
  await expect(dan.call(endSession, { params })).rejects.toMatchObject({ status: 404 })
  await expect(bob.call(endSession, { params })).rejects.toMatchObject({ status: 403 })
  await using guest = await join(bob, id, { mode: 'observer' })
  await factsOf(guest)
  const party = (await listed(alice, id))?.parties?.find(({ user }) => user === 'ben')?.id ?? ''
  await expect(bob.call(removeParty, { params: { ...params, partyId: party } })).rejects.toMatchObject({ status: 403 })
  await alice.call(removeParty, { params: { ...params, partyId: party } })
  await guest.see('You were removed from the session by alice.')
  await guest.closed()
  await expect(alice.call(removeParty, { params: { ...params, partyId: randomUUID() } })).rejects.toMatchObject({ status: 404 })
  await alice.call(endSession, { params })
  await second.see('The session is closed: alice ended it.')
  expect(await listed(mona, id)).toBeUndefined()
})

test('a moderated session: nothing runs, shows or is recorded before its moderator is there; it pauses without them', async () => {
  await using owner = await open(mona)
  const { id: sid, moderated } = await factsOf(owner)
  expect(moderated).toBe(true)
  await owner.see('This session is moderated and waits for people: 1 more to join as moderator for "eyes" (role watched)')
  owner.type('echo too ea""rly\r')
  expect(await listed(carol, sid)).toMatchObject({
    moderated: true,
    state: 'pending',
    waitingFor: expect.stringContaining('moderator') as string,
  })
  await using observer = await join(carol, sid, { mode: 'observer' })
  await observer.see('waits for people')

  const moderator = await join(carol, sid, { mode: 'moderator' })
  await owner.see('the session begins')
  await owner.see(/[$#] $/)
  owner.type('echo ru""ns\r')
  await moderator.see('runs')
  expect(await listed(carol, sid)).toMatchObject({ state: 'running' })
  await moderator[Symbol.asyncDispose]()
  await owner.see('The session is paused')
  owner.type('echo whi""spered\r')
  await using again = await join(carol, sid, { mode: 'moderator' })
  await owner.see('the session goes on')
  owner.type('echo al""oud; exit\r')
  await owner.frame('c')
  await again.closed()
  const { output } = owner
  expect(output).toContain('aloud')
  expect(output).not.toContain('too early')
  expect(output).not.toContain('whispered')
  const path = callPath(recordingStream.path, { clusterId: world.cluster, sid })
  const headers = { cookie: alice.cookieHeader, authorization: `Bearer ${alice.bearer}` }
  const recorded = await (await fetch(alice.origin + path, { headers })).text()
  expect(recorded).toContain('aloud')
  for (const unseen of ['too early', 'whispered', 'waits for people']) expect(recorded).not.toContain(unseen)
})

test('R7-070, R7-071: a file of a moderated session is asked for; approved by its moderator it is copied, once', async () => {
  await using owner = await open(mona)
  const { id: sid } = await factsOf(owner)
  await using moderator = await join(carol, sid, { mode: 'moderator' })
  await owner.see('the session begins')
  owner.socket.send(
    encodeFrame(frameTypes.fileTransferRequest, JSON.stringify({ event: 'file_transfer_request', download: true, location: '/etc/hosts' })),
  )
  const asked = await eventOf(moderator, 'file_transfer_request')
  expect(asked).toMatchObject({
    requester: 'mona',
    approvers: [],
    location: '/etc/hosts',
    download: true,
    filename: '',
    sid,
    cluster_name: world.cluster,
  })
  const requestId = String(asked['requestID'])
  moderator.socket.send(
    encodeFrame(frameTypes.fileTransferDecision, JSON.stringify({ event: 'file_transfer_decision', requestId, approved: true })),
  )
  expect(await eventOf(owner, 'file_transfer_request_approve')).toMatchObject({ requestID: requestId, approvers: ['cara'] })
  const copy = async (ids: { moderatedSessionId?: string; fileTransferRequestId?: string }) => {
    const place = { cluster: world.cluster, serverId: world.agentId, login: ownLogin }
    return (await downloadFile(mona, place, { location: '/etc/hosts', ...ids })).status
  }
  const approved = { moderatedSessionId: sid, fileTransferRequestId: requestId }
  expect(await copy({})).toBe(403)
  expect(await copy({ ...approved, fileTransferRequestId: randomUUID() })).toBe(403)
  expect(await copy(approved)).toBe(200)
  expect(await copy(approved)).toBe(403)
  owner.socket.send(encodeFrame(frameTypes.fileTransferRequest, '{"download":"perhaps"}'))
  await owner.see('a file transfer request is not complete')
  await owner.closed()
})

test('an owner whose connection breaks comes back to the same shell with what they have not seen; others get the recent output', async () => {
  await using owner = await open(alice)
  const facts = await factsOf(owner)
  owner.type('echo shell is $$; X=ke""pt\r')
  const [, shell] = await owner.see(/shell is (\d+)\r/)
  await owner.see(/[$#] $/)
  // As if the end of the prompt had not arrived.
  const seen = owner.outputBytes - 2
  for (const connection of connections) connection.destroy()
  await owner.closed()
  await expect.poll(() => listed(alice, facts.id)).toMatchObject({ parties: [] })

  await using back = await join(alice, facts.id, { resume: { token: facts.resume.token, offset: facts.resume.offset + seen } })
  expect((await factsOf(back)).resume.offset).toBe(facts.resume.offset + seen)
  back.type('echo shell is $$ $X\r')
  await back.see(`shell is ${shell} kept`)
  expect(back.output.startsWith(owner.output.slice(-2))).toBe(true)
  expect(back.output).not.toContain('X=ke')
  await expect.poll(async () => (await audited('T2001I', facts.id)).length).toBe(2)
  // A token opens the seat of its owner only, and once.
  await using plain = await join(alice, facts.id, { resume: { token: facts.resume.token, offset: 5 } })
  expect((await factsOf(plain)).resume.offset).toBe(0)
  back.type('exit\r')
  await plain.frame('c')
})

test('whoever joins proves who they are where their roles ask for it, and moderators keep proving it', async () => {
  const { link } = await ask(world.dataDir, adminCalls.addUser, { name: 'kim', roles: ['guiding', 'careful'], logins: [ownLogin] })
  const token = link.split('/').at(-1) ?? ''
  const kim = new ApiClient(world.url)
  await kim.loadPage()
  const { webauthn } = await kim.call(registerChallenge, { params: { token }, body: { deviceType: 'webauthn', deviceUsage: 'mfa' } })
  if (!webauthn) throw new Error('no challenge for a key')
  const key = new SoftwareKey()
  const webauthnCreationResponse = key.create(webauthn.publicKey, { origin: world.url })
  await kim.call(completeUserToken, {
    body: { token, password: Buffer.from('a key opens the gate').toString('base64'), webauthnCreationResponse },
  })
  await kim.loadPage()

  await using owner = await open(bob)
  const { id: sid } = await factsOf(owner)
  const challengeOf = async (terminal: TerminalClient) => {
    const { webauthn_challenge: challenge } = authenticateChallengeWire.parse(JSON.parse(await terminal.frame('n')))
    if (!challenge) throw new Error('no challenge for a key')
    return challenge.publicKey
  }
  await using typed = await join(kim, sid, { mode: 'observer' })
  await challengeOf(typed)
  typed.type('please')
  await typed.see('the session was not confirmed')
  await typed.closed()
  expect(typed.frames.some(({ type }) => type === 's')).toBe(false)
  expect(await audited('T1006W')).toContainEqual(
    expect.objectContaining({ user: 'kim', reason: expect.stringContaining('not confirmed') as string }),
  )
  await using moderator = await join(kim, sid, { mode: 'moderator' })
  moderator.socket.send(encodeFrame(frameTypes.challenge, JSON.stringify(key.get(await challengeOf(moderator), { origin: world.url }))))
  await factsOf(moderator)
  // Those whose roles do not ask for it are not asked.
  await using other = await join(carol, sid, { mode: 'moderator' })
  await factsOf(other)
})

async function eventOf(terminal: TerminalClient, event: string): Promise<Record<string, unknown>> {
  const found = () =>
    terminal.frames
      .filter(({ type }) => type === 'a')
      .map(({ payload }) => JSON.parse(payload) as Record<string, unknown>)
      .find((candidate) => candidate['event'] === event)
  await expect.poll(found).toBeDefined()
  return found() ?? {}
}

/** Limits of terminals, through the real proxy and the real agent. */
import { authenticateChallengeWire } from '@sallyport/wire/entities/mfa.ts'
import { encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { readAuthPreference, readNetworking, writeAuthPreference, writeNetworking } from '@sallyport/wire/calls/cluster-config.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { withKey } from './key-holder.ts'
import { ownLogin } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob'] })
  alice = await world.signIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())

const open = (client: ApiClient): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
const audited = async (code: string): Promise<AuditEventWire[]> => {
  const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
  return events.filter((event) => event.code === code)
}

test('R8-027: with max_sessions a terminal too many is refused, said in it, and audited', async () => {
  const spec = { options: { max_sessions: 1 } }
  await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'one' }, spec }) } })
  await alice.call(updateUser, { body: { name: 'bob', roles: ['access', 'one'] } })
  const bob = await world.signIn('bob')
  await using first = await open(bob)
  await first.frame('s')
  await using second = await open(bob)
  await second.see('too many sessions: your roles allow 1 at a time')
  await second.closed()
  expect(await audited('T1006W')).toMatchObject([
    {
      event: 'session.rejected',
      user: 'bob',
      login: ownLogin,
      server_id: world.agentId,
      reason: expect.stringContaining('too many sessions'),
    },
  ])
})

test('where every session is to be confirmed, a terminal asks for the key first, and opens for its answer only', async () => {
  const { client, key } = await withKey(world, 'gwen')
  const { revision } = (await alice.call(readAuthPreference)).metadata
  await alice.call(writeAuthPreference, { body: { spec: { require_session_mfa: true }, revision, force: true } })
  const challengeOf = async (terminal: TerminalClient) => {
    const { webauthn_challenge: challenge } = authenticateChallengeWire.parse(JSON.parse(await terminal.frame('n')))
    if (!challenge) throw new Error('no challenge for a key')
    return challenge.publicKey
  }
  // Consoles answer with the bare assertion, some of them as input; later ones name what they send.
  for (const form of ['challenge', 'raw', 'named'] as const) {
    await using terminal = await open(client)
    const answer = key.get(await challengeOf(terminal), { origin: world.url })
    expect(terminal.frames.some((frame) => frame.type === 's')).toBe(false)
    const text = JSON.stringify(form === 'named' ? { webauthn_response: answer } : answer)
    terminal.socket.send(encodeFrame(form === 'raw' ? frameTypes.raw : frameTypes.challenge, text))
    await terminal.frame('s')
  }
  await using typed = await open(client)
  await challengeOf(typed)
  typed.type('ls')
  await typed.see('the session was not confirmed')
  await typed.closed()
  // An authenticator app cannot answer here.
  await using withoutKey = await open(alice)
  await withoutKey.see('a passkey or security key has to confirm this session')
  await withoutKey.closed()
  expect((await audited('T1006W')).map(({ user }) => user)).toEqual(expect.arrayContaining(['gwen', 'alice']))
  const stored = (await alice.call(readAuthPreference)).metadata
  await alice.call(writeAuthPreference, { body: { spec: {}, revision: stored.revision } })
})

test("an idle terminal ends after the cluster's limit, in the cluster's words, after a warning", async () => {
  const { revision } = (await alice.call(readNetworking)).metadata
  const spec = { client_idle_timeout: '1s', client_idle_timeout_message: 'Gone for lunch?' }
  await alice.call(writeNetworking, { body: { spec, revision } })
  await using terminal = await open(alice)
  await terminal.see('this session ends in')
  await terminal.see('Gone for lunch?')
  await terminal.closed()
  await expect
    .poll(async () => (await audited('T3006I')).at(0))
    .toMatchObject({ user: 'alice', reason: 'the session was idle for too long' })
})

/** Locks on what lives: terminals and web sessions through the real proxy and the real agent, and the moments between. */
import { randomUUID } from 'node:crypto'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { signIn, userStatus } from '@sallyport/wire/calls/session.ts'
import { recordingLength } from '@sallyport/wire/calls/playback.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import type { LockTargets } from '@sallyport/wire/entities/lock.ts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { ApiClient } from './api-client.ts'
import { ownLogin, passwordOf } from './people.ts'
import type { Name } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
beforeAll(async () => {
  // Without second factors people sign in as often as they like.
  world = await createWorld({ people: ['alice', 'bob'], settings: { secondFactor: 'off' } })
  alice = await signedIn('alice')
})
afterAll(() => world[Symbol.asyncDispose]())
afterEach(async () => {
  vi.restoreAllMocks()
  for (const { name } of await alice.call(locks.list, { params: here() })) await lift(name)
})

async function signedIn(name: Name): Promise<ApiClient> {
  const client = new ApiClient(world.url)
  await client.loadPage()
  client.bearer = (await client.call(signIn, { body: { user: name, pass: passwordOf(name) } })).token
  return client
}
const here = (): { clusterId: string } => ({ clusterId: world.cluster })
const place = async (targets: LockTargets, message = ''): Promise<string> =>
  (await alice.call(locks.put, { params: here(), body: { targets, message } })).name
const lift = (uuid: string) => alice.call(locks.remove, { params: { ...here(), uuid } })
const open = (client: ApiClient, serverId = world.agentId): Promise<TerminalClient> =>
  TerminalClient.open(client, { cluster: world.cluster, serverId, login: ownLogin })

/** Resolves with the event once it is durable; `then` runs before whoever emitted it goes on. */
function nextEvent(code: AuditCode, then: () => Promise<unknown> = () => Promise.resolve()): Promise<AuditEventWire> {
  const { audit } = world.proxy
  const emit = audit.emit.bind(audit)
  const { promise, resolve } = Promise.withResolvers<AuditEventWire>()
  vi.spyOn(audit, 'emit').mockImplementation(async (emitted, fields) => {
    const event = await emit(emitted, fields)
    if (emitted === code) {
      await then()
      resolve(event)
    }
    return event
  })
  return promise
}
async function audited(sid: unknown): Promise<string[]> {
  const { events } = await alice.call(searchEvents, { params: here(), query: { limit: 1000, order: 'asc' } })
  return events.filter((event) => event['sid'] === sid).map(({ code }) => code ?? '')
}
const status = (client: ApiClient): Promise<unknown> => client.call(userStatus)

test('R8-044, R1-013: a lock on a user ends a live terminal with its reason; the session is written to the end and sealed', async () => {
  const bob = await signedIn('bob')
  await using terminal = await open(bob)
  await terminal.frame('s')
  const uploaded = nextEvent('T2005I')
  await place({ user: 'bob' }, 'left the company')
  await terminal.closed()
  const reason = 'lock targeting User:"bob" is in force: left the company'
  expect(terminal.output).toContain(`The session is closed: ${reason}`)
  expect(terminal.output).not.toContain('signed out')
  await expect(status(bob)).rejects.toThrow(reason)
  const { sid } = await uploaded
  expect(await audited(sid)).toEqual(['T2000I', 'T2001I', 'T3006I', 'T2003I', 'T2004I', 'T2006I', 'T2005I'])
  const { events } = await alice.call(searchEvents, { params: here(), query: { limit: 1000, include: 'client.disconnect' } })
  expect(events.find((event) => event['sid'] === sid)).toMatchObject({ user: 'bob', reason, server_id: world.agentId, login: ownLogin })
  expect(await alice.call(recordingLength, { params: { ...here(), sid: String(sid) } })).toMatchObject({ recordingType: 'ssh' })
})

test.each([
  ['a role', () => ({ role: 'access' }), 'lock targeting Role:"access"'],
  ['a login', () => ({ login: ownLogin }), `lock targeting Login:"${ownLogin}"`],
  ['a server', () => ({ node: world.agentId }), 'lock targeting Node:'],
])('a lock on %s ends live terminals and keeps new ones from opening', async (_what, target, text) => {
  const bob = await signedIn('bob')
  await using terminal = await open(bob)
  await terminal.frame('s')
  // A lock on the role of alice would keep her from lifting it again.
  const name = (await world.proxy.locks.place({ target: target() }, 'test')).metadata.name
  await terminal.closed()
  expect(terminal.output).toContain(text)
  const isRole = 'role' in target()
  if (isRole) await expect(status(bob)).rejects.toThrow(text)
  else {
    await status(bob)
    const refused = nextEvent('T1006W')
    await using second = await open(bob)
    await second.closed()
    expect(second.output).toContain(text)
    expect((await refused)['reason']).toContain(text)
  }
  await world.proxy.locks.lift(name, 'test')
  if (isRole) alice = await signedIn('alice')
})

test('a lock that comes while the server is being dialled wins, and no shell is ever opened', async () => {
  const bob = await signedIn('bob')
  const id = randomUUID()
  const { inventory, dialer } = world.proxy
  let locked = ''
  using _route = dialer.register(id, async (signal) => {
    locked = await place({ login: ownLogin })
    return dialer.dial({ hostId: world.agentId }, signal)
  })
  await inventory.heartbeat({ id, hostname: world.agentId, tunnel: true, labels: { env: 'test' } })
  const refused = nextEvent('T1006W')
  await using terminal = await open(bob, id)
  await terminal.closed()
  expect(terminal.output).toContain(`lock targeting Login:"${ownLogin}" is in force`)
  expect(terminal.frames).toEqual([])
  expect(await refused).toMatchObject({ user: 'bob', reason: `lock targeting Login:"${ownLogin}" is in force` })
  expect(locked).not.toBe('')
  await inventory.remove(id)
})

test('a lock that comes after the start is written down, before the shell, wins: the session ends without a shell', async () => {
  const bob = await signedIn('bob')
  const started = nextEvent('T2000I', () => place({ node: world.agentId }))
  await using terminal = await open(bob)
  const { sid } = await started
  await terminal.closed()
  expect(terminal.output).toContain('lock targeting Node:')
  expect(terminal.frames).toEqual([])
  // It was announced, so it ends; and nobody was ever in it.
  await expect.poll(() => audited(sid)).toEqual(['T2000I', 'T2004I', 'T2006I', 'T2005I'])
})

test('whoever is locked is told so in every tab of their session', async () => {
  const bob = await signedIn('bob')
  await using terminal = await open(bob)
  const { session } = JSON.parse(await terminal.frame('s')) as { session: { id: string } }
  await using joined = await TerminalClient.open(bob, { cluster: world.cluster, sid: session.id })
  await joined.frame('s')
  const name = await place({ user: 'bob' }, 'out')
  await Promise.all([terminal.closed(), joined.closed()])
  for (const { output } of [terminal, joined]) expect(output).toContain('lock targeting User:"bob" is in force: out')
  await lift(name)
})

test('R7-077: lifted, it lets new sessions in and brings no old one back', async () => {
  const bob = await signedIn('bob')
  await using terminal = await open(bob)
  await terminal.frame('s')
  const name = await place({ user: 'bob' })
  await terminal.closed()
  await lift(name)
  await expect(status(bob)).rejects.toThrow('need auth')
  const again = await signedIn('bob')
  await using second = await open(again)
  await second.frame('s')
  expect((await alice.call(activeSessions, { params: here() })).sessions.length).toBeGreaterThan(0)
})

/** A file that was approved, and people who leave while it is copied. */
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { ownLogin } from './people.ts'
import { TerminalClient } from './terminal-client.ts'
import { transferPath } from './transfer-client.ts'
import { createWorld } from './world.ts'
import type { World } from './world.ts'

/** Longer than what fits into all buffers on the way. */
const length = 60_000_000

let world: World
let alice: ApiClient
let bob: ApiClient
let folder: string
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob'] })
  alice = await world.signIn('alice')
  const role = (name: string, allow: unknown) =>
    alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec: { allow } }) } })
  await role('guiding', { join_sessions: [{ name: 'g', roles: ['*'], kinds: ['ssh'], modes: ['moderator'] }] })
  for (const on_leave of ['pause', 'terminate']) {
    const policy = {
      name: 'eyes',
      filter: 'contains(user.spec.roles, "guiding")',
      kinds: ['ssh'],
      modes: ['moderator'],
      count: 1,
      on_leave,
    }
    await role(on_leave, { logins: [ownLogin], node_labels: { '*': '*' }, require_session_join: [policy] })
  }
  await alice.call(updateUser, { body: { name: 'alice', roles: ['editor', 'auditor', 'guiding'] } })
  bob = await world.signIn('bob')
  folder = await mkdtemp(join(tmpdir(), 'sallyport-moderated-'))
  const file = await open(join(folder, 'big'), 'w')
  await file.truncate(length)
  await file.close()
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})

/** A download that bob's moderator approved and that has begun, with both of them in the session. */
async function approvedDownload(
  stack: AsyncDisposableStack,
): Promise<{ owner: TerminalClient; moderator: TerminalClient; answer: IncomingMessage }> {
  const { cluster, agentId: serverId } = world
  const owner = stack.use(await TerminalClient.open(bob, { cluster, serverId, login: ownLogin }))
  const { session } = JSON.parse(await owner.frame('s')) as { session: { id: string } }
  const moderator = stack.use(await TerminalClient.open(alice, { cluster, sid: session.id, mode: 'moderator' }))
  await owner.see('the session begins')
  const location = join(folder, 'big')
  const ask = { event: 'file_transfer_request', download: true, location }
  owner.socket.send(encodeFrame(frameTypes.fileTransferRequest, JSON.stringify(ask)))
  const eventOf = (event: string) =>
    moderator.frames
      .map(({ type, payload }) => (type === 'a' ? (JSON.parse(payload) as Record<string, unknown>) : {}))
      .find((one) => one['event'] === event)
  await expect.poll(() => eventOf('file_transfer_request')).toBeDefined()
  const requestId = String(eventOf('file_transfer_request')?.['requestID'])
  const decision = { event: 'file_transfer_decision', requestId, approved: true }
  moderator.socket.send(encodeFrame(frameTypes.fileTransferDecision, JSON.stringify(decision)))
  await expect.poll(() => eventOf('file_transfer_request_approve')).toBeDefined()
  const path = transferPath(
    { cluster, serverId, login: ownLogin },
    { location, moderatedSessionId: session.id, fileTransferRequestId: requestId },
  )
  const headers = { cookie: bob.cookieHeader, authorization: `Bearer ${bob.bearer}` }
  const [answer] = (await once(request(bob.origin + path, { headers }).end(), 'response')) as [IncomingMessage]
  // That it breaks off is kept for whoever reads it, where somebody listens when it happens.
  answer.on('error', () => undefined)
  expect(answer.statusCode).toBe(200)
  await once(answer, 'readable')
  return { owner, moderator, answer }
}
async function bytesOf(answer: IncomingMessage): Promise<number> {
  let bytes = 0
  for await (const chunk of answer) bytes += (chunk as Buffer).length
  return bytes
}

test('a moderator who leaves pauses the session; what they approved is copied to its end', async () => {
  await alice.call(updateUser, { body: { name: 'bob', roles: ['pause'] } })
  await using stack = new AsyncDisposableStack()
  const { owner, moderator, answer } = await approvedDownload(stack)
  await moderator[Symbol.asyncDispose]()
  await owner.see('The session is paused')
  expect(await bytesOf(answer)).toBe(length)
})

test('a session that ends with its moderator takes along what they approved, and the log says why', async () => {
  await alice.call(updateUser, { body: { name: 'bob', roles: ['terminate'] } })
  await using stack = new AsyncDisposableStack()
  const { owner, moderator, answer } = await approvedDownload(stack)
  await moderator[Symbol.asyncDispose]()
  await owner.closed()
  await expect(bytesOf(answer)).rejects.toThrow('aborted')
  const failed = async () => {
    const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
    return events.filter(({ code }) => code === 'T3004E')
  }
  await expect.poll(failed).toMatchObject([{ user: 'bob', exitError: 'the session in which the file transfer was approved has ended' }])
})

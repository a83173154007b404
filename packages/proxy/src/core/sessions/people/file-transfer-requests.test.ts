/** Leave to move files out of and into moderated sessions. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createRecordings } from '../../recordings/recordings.ts'
import { createLiveSessions } from '../live-sessions.ts'
import type { LiveSessions } from '../live-sessions.ts'
import { clock, enter, FakeAudit, FakeShell, grace, log, moderated, moderator as bob, request } from '../session-doubles.ts'

let directory: string
let sessions: LiveSessions

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sessions-'))
  const recordings = createRecordings(directory)
  const audit = new FakeAudit()
  sessions = createLiveSessions({ audit, recordings, clock, steady: () => performance.now(), log, grace })
})
afterEach(async () => {
  await sessions[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

test('R7-070: an approved transfer is used once, by who asked for it, for that file and in that direction', async () => {
  const session = await sessions.open(moderated(new FakeShell(), 'pause', 2))
  const { sid, node, login } = session.subject
  const alice = enter(session)
  const first = enter(session, bob)
  const second = enter(session, { ...bob, user: 'carol' })
  const wish = { direction: 'download', location: '/etc/hosts', filename: '' } as const
  const transfer = { user: 'alice', node: node.id, login, ...wish }
  const lastEvent = (): Readonly<Record<string, unknown>> => alice.screen.events.at(-1) ?? {}
  const approved = (): string => {
    alice.me.requestTransfer(wish)
    const requestId = String(lastEvent()['requestID'])
    expect(() => sessions.take(sid, requestId, transfer)).toThrow('was not approved')
    first.me.decideTransfer(requestId, true)
    expect(lastEvent()).toMatchObject({
      event: 'file_transfer_request',
      approvers: ['bob'],
      requester: 'alice',
      location: '/etc/hosts',
      download: true,
    })
    second.me.decideTransfer(requestId, true)
    expect(lastEvent()).toMatchObject({ event: 'file_transfer_request_approve', requestID: requestId, approvers: ['bob', 'carol'] })
    return requestId
  }
  let requestId = approved()
  sessions.take(sid, requestId, transfer)
  expect(() => sessions.take(sid, requestId, transfer)).toThrow('was not approved')
  for (const other of [{ user: 'bob' }, { location: '/etc/shadow' }, { direction: 'upload' as const }]) {
    requestId = approved()
    expect(() => sessions.take(sid, requestId, { ...transfer, ...other })).toThrow('another file transfer was approved')
    expect(() => sessions.take(sid, requestId, transfer)).toThrow('was not approved')
  }
  for (const other of [{ node: 'n' }, { login: 'l' }])
    expect(() => sessions.take(sid, approved(), { ...transfer, ...other })).toThrow('was not approved')
  expect(() => sessions.take('none', requestId, transfer)).toThrow('was not approved')
})

test('a transfer is denied by one moderator or taken back by who asked; newcomers see what waits; nobody else decides', async () => {
  const session = await sessions.open(moderated(new FakeShell(), 'pause', 1))
  const alice = enter(session)
  const moderator = enter(session, bob)
  const observer = enter(session, { user: 'dan', mode: 'observer' })
  const ask = (): string => {
    alice.me.requestTransfer({ direction: 'upload', location: '/tmp/', filename: 'x.txt' })
    return String(alice.screen.events.at(-1)?.['requestID'])
  }
  let requestId = ask()
  observer.me.requestTransfer({ direction: 'download', location: '/', filename: '' })
  observer.me.decideTransfer(requestId, false)
  alice.me.decideTransfer(requestId, true)
  moderator.me.decideTransfer('another', true)
  expect(alice.screen.events).toHaveLength(1)
  expect(enter(session, { ...bob, user: 'carol' }).screen.events).toMatchObject([
    { event: 'file_transfer_request', requestID: requestId, filename: 'x.txt', download: false },
  ])
  moderator.me.decideTransfer(requestId, false)
  expect(alice.screen.events.at(-1)).toMatchObject({ event: 'file_transfer_request_deny', requestID: requestId })
  requestId = ask()
  alice.me.decideTransfer(requestId, false)
  expect(moderator.screen.events.at(-1)).toMatchObject({ event: 'file_transfer_request_deny', requestID: requestId })
  const free = await sessions.open(request(new FakeShell()))
  const alone = enter(free)
  alone.me.requestTransfer({ direction: 'download', location: '/x', filename: '' })
  expect(alone.screen.events).toEqual([])
})

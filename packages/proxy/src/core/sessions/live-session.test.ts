import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Recordings } from '../recordings/recordings.ts'
import { createLiveSessions } from './live-sessions.ts'
import type { LiveSessions } from './live-sessions.ts'
import { attendee, FakeAudit, FakeShell, grace, log, node, recordedOf, request, Screen, openSessions } from './session-doubles.ts'
import type { SessionsAlone } from './session-doubles.ts'
import { toActiveSessionWire, toSessionWire } from './session-wire.ts'

let recordings: Recordings
let audit: FakeAudit
let sessions: LiveSessions
let opened: SessionsAlone

beforeEach(async () => {
  opened = await openSessions()
  ;({ recordings, audit, sessions } = opened)
})
afterEach(async () => {
  vi.useRealTimers()
  await opened[Symbol.asyncDispose]()
})

test('a session from start to exit: shown, recorded, audited in order', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  expect(audit.codes).toEqual(['T2000I'])
  const screen = new Screen()
  const me = session.join(attendee(screen))
  shell.says('$ ')
  expect(me.input(Buffer.from('exit\r'))).toBe(true)
  me.resize(120, 40)
  shell.says('bye')
  expect(toSessionWire(session, false)).toMatchObject({
    id: session.subject.sid,
    parties: null,
    owner: 'alice',
    server_hostname: 'web-1',
    moderated: false,
  })
  expect(toActiveSessionWire(session, '-current-', { modes: ['observer', 'peer'], mayEnd: true })).toMatchObject({
    parties: [{ user: 'alice' }],
    cluster_name: '-current-',
    server_addr: node.id,
    participantModes: ['observer', 'peer'],
    mayEnd: true,
  })
  shell.exits()
  expect(await screen.closed.promise).toBe('exit')
  await session.ended
  expect(screen.text).toBe('$ bye')
  expect(Buffer.concat(shell.heard).toString()).toBe('exit\r')
  expect(shell.windows).toEqual(['120x40'])
  expect(audit.codes).toEqual(['T2000I', 'T2001I', 'T2002I', 'T2003I', 'T2004I', 'T2006I', 'T2005I'])
  expect(audit.of('T2000I')).toMatchObject({
    sid: session.subject.sid,
    size: '80:25',
    ei: 0,
    session_recording: 'node-sync',
    proto: 'ssh',
    server_labels: { env: 'dev' },
  })
  expect(audit.of('T2004I')).toMatchObject({
    participants: ['alice'],
    interactive: true,
    enhanced_recording: false,
    session_start: '2026-11-21T00:00:00.000Z',
    initial_command: [],
  })
  expect(audit.of('T2006I')).toMatchObject({ tx: 5, rx: 5, ei: 2147483646 })
  expect(audit.of('T2005I')).toMatchObject({ ei: 2147483647, url: recordings.addressOf(session.subject.sid) })
  const { output, events } = await recordedOf(recordings, session.subject.sid)
  expect(output.toString()).toBe('$ bye')
  expect(events).toEqual(['session.start', 'session.join', 'resize', 'session.leave', 'session.end'])
  expect(sessions.list()).toEqual([])
})

test('a role that limits sessions is kept to', async () => {
  const first = await sessions.open(request(new FakeShell(), { limit: 1 }))
  await expect(sessions.open(request(new FakeShell(), { limit: 1 }))).rejects.toThrow('too many sessions: your roles allow 1 at a time')
  first.end({ kind: 'cut', text: '' })
  await first.ended
  await new Promise(setImmediate)
  await expect(sessions.open(request(new FakeShell(), { limit: 1 }))).resolves.toBeDefined()
})

test('binary output reaches screen and recording byte by byte', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const screen = new Screen()
  session.join(attendee(screen))
  const noise = randomBytes(3_000_000)
  for (let at = 0; at < noise.length; at += 30_000) {
    shell.says(noise.subarray(at, at + 30_000))
    await new Promise(setImmediate)
  }
  shell.exits()
  await session.ended
  expect(Buffer.concat(screen.seen).equals(noise)).toBe(true)
  expect((await recordedOf(recordings, session.subject.sid)).output.equals(noise)).toBe(true)
})

test('a screen that is full pauses the shell until it is not; a stuck guest is put out instead', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const [mine, other] = [new Screen(), new Screen()]
  const me = session.join(attendee(mine))
  const guest = session.join(attendee(other, { user: 'bob', mode: 'observer' }))
  me.stall(true)
  expect(shell.isPaused()).toBe(true)
  vi.advanceTimersByTime(60_000)
  expect(shell.isPaused()).toBe(true)
  me.stall(false)
  expect(shell.isPaused()).toBe(false)
  guest.stall(true)
  expect(shell.isPaused()).toBe(true)
  vi.advanceTimersByTime(2_000)
  expect(await other.closed.promise).toBe('cut')
  expect(shell.isPaused()).toBe(false)
  expect(session.parties.map(({ user }) => user)).toEqual(['alice'])
  expect(guest.input(Buffer.from('x'))).toBe(true)
  expect(shell.heard).toEqual([])
})

test('a paste of 10 MB reaches the shell whole; the browser waits while the shell does', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const screen = new Screen()
  const me = session.join(attendee(screen))
  shell.isStuck = true
  const paste = randomBytes(10_000_000)
  let goesOn = true
  for (let at = 0; at < paste.length; at += 1_000_000) goesOn = me.input(paste.subarray(at, at + 1_000_000))
  expect(goesOn).toBe(false)
  expect(screen.resumed).toBe(0)
  shell.unstick()
  await expect.poll(() => screen.resumed).toBe(1)
  expect(Buffer.concat(shell.heard).equals(paste)).toBe(true)
})

test('signing out, an idle terminal and a stopping proxy end the session with a reason', async () => {
  for (const [how, notice, reason] of [
    ['sign-out', 'you were signed out', 'the web session ended'],
    ['idle', 'it was idle for too long', 'the session was idle for too long'],
    ['stop', 'the proxy is stopping', 'the proxy is stopping'],
  ] as const) {
    audit = new FakeAudit()
    sessions = createLiveSessions({
      audit,
      recordings,
      clock: { now: () => Math.floor(performance.now()) },
      steady: () => performance.now(),
      log,
      grace,
    })
    const session = await sessions.open(request(new FakeShell(), { idleTimeout: how === 'idle' ? 1 : 0 }))
    const signedOut = new AbortController()
    const screen = new Screen()
    session.join(attendee(screen, { signal: signedOut.signal }))
    if (how === 'sign-out') signedOut.abort()
    if (how === 'stop') await sessions[Symbol.asyncDispose]()
    expect(await screen.closed.promise).toBe('cut')
    await session.ended
    expect(screen.notices.join()).toContain(notice)
    expect(audit.codes).toEqual(['T2000I', 'T2001I', 'T3006I', 'T2003I', 'T2004I', 'T2006I', 'T2005I'])
    expect(audit.of('T3006I')).toMatchObject({ reason })
  }
})

test('a lost connection ends the session with an end event and without the close of a clean exit', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const screen = new Screen()
  session.join(attendee(screen))
  shell.destroy(new Error('The server does not answer any more.'))
  expect(await screen.closed.promise).toBe('cut')
  expect(screen.notices).toEqual(['The connection to web-1 was lost. The server does not answer any more.'])
  await session.ended
  expect(audit.codes.at(-1)).toBe('T2005I')
})

test('a session that everybody left waits for its owner, then ends', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  session.join(attendee(new Screen())).leave()
  shell.says('meanwhile')
  await new Promise(setImmediate)
  const again = new Screen()
  const me = session.join(attendee(again))
  expect(again.text).toBe('meanwhile')
  vi.advanceTimersByTime(60_000)
  expect(sessions.get(session.subject.sid)).toBe(session)
  me.leave()
  vi.advanceTimersByTime(20_000)
  await session.ended
  expect(sessions.get(session.subject.sid)).toBeUndefined()
  expect(audit.codes.filter((code) => code === 'T2003I')).toHaveLength(2)
})

test('one party can be put out with a reason, once; the others stay, and who comes too late is told how it ended', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const [mine, theirs] = [new Screen(), new Screen()]
  session.join(attendee(mine))
  const guest = session.join(attendee(theirs, { user: 'bob', address: '10.0.0.2:1', mode: 'observer' }))
  guest.disconnect('locked out')
  guest.disconnect('locked out')
  expect(await theirs.closed.promise).toBe('cut')
  expect(theirs.notices.slice(1)).toEqual(['You left the session: locked out'])
  shell.says('still here')
  await expect.poll(() => mine.text).toBe('still here')
  session.end({ kind: 'cut', text: 'The session is closed: for a reason' })
  expect(() => session.join(attendee(new Screen()))).toThrow('The session is closed: for a reason')
  await session.ended
  expect(audit.codes).toEqual(['T2000I', 'T2001I', 'T2001I', 'T3006I', 'T2003I', 'T2003I', 'T2004I', 'T2006I', 'T2005I'])
  expect(audit.of('T3006I')).toMatchObject({ user: 'bob', 'addr.remote': '10.0.0.2:1', reason: 'locked out' })
})

test('other parties see a resize, the one who resized does not', async () => {
  const session = await sessions.open(request(new FakeShell()))
  const [mine, theirs] = [new Screen(), new Screen()]
  session.join(attendee(mine)).resize(100, 30)
  session.join(attendee(theirs, { mode: 'observer' }))
  session.join(attendee(new Screen())).resize(101, 31)
  expect(theirs.events).toMatchObject([{ event: 'resize', code: 'T2002I', size: '101:31' }])
  expect(mine.events).toHaveLength(1)
})

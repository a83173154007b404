/** Several people in one session: who is let in, who is waited for, who comes back, who ends it. */
import { Readable } from 'node:stream'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Recordings } from '../recordings/recordings.ts'
import { audienceLimits } from './people/audience.ts'
import type { LiveSessions, OpenSession } from './live-sessions.ts'
import { enter, FakeShell, flushed, grace, moderated, moderator as bob, recordedOf, request, openSessions } from './session-doubles.ts'
import type { FakeAudit, SessionsAlone } from './session-doubles.ts'

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

test('before its moderators are there a session has no shell: nothing is opened, typed or recorded', async () => {
  const shell = new FakeShell()
  const openShell = vi.fn<OpenSession['openShell']>(() => Promise.resolve(shell))
  const session = await sessions.open({ ...moderated(shell), openShell })
  const alice = enter(session)
  expect(alice.me.input(Buffer.from('rm -rf /\r'))).toBe(true)
  alice.me.resize(100, 30)
  await flushed()
  expect(session).toMatchObject({
    state: 'pending',
    isModerated: true,
    missing: expect.stringContaining('1 more to join as moderator') as string,
  })
  expect(alice.screen.notices.join()).toContain('This session is moderated and waits for people')
  // Somebody whom the policy does not mean, and somebody in another mode.
  enter(session, { ...bob, user: 'dan', roles: [] })
  enter(session, { ...bob, mode: 'observer' })
  await flushed()
  expect(openShell).not.toHaveBeenCalled()
  expect(shell.heard).toEqual([])

  const moderator = enter(session, bob)
  await expect.poll(() => openShell).toHaveBeenCalledOnce()
  expect(session.state).toBe('running')
  await flushed()
  expect(shell.windows).toEqual(['100x30'])
  shell.says('$ ')
  await expect.poll(() => moderator.screen.text).toBe('$ ')
  alice.me.input(Buffer.from('ls\r'))
  moderator.me.input(Buffer.from('x'))
  expect(Buffer.concat(shell.heard).toString()).toBe('ls\r')
  shell.exits()
  await session.ended
  const { output } = await recordedOf(recordings, session.subject.sid)
  expect(output.toString()).toBe('$ ')
})

test('where others have to be present, a command that nobody could watch does not run', async () => {
  const openShell = vi.fn<OpenSession['openShell']>(() => Promise.resolve(new FakeShell()))
  const client = { input: Readable.from([]), output: () => Promise.resolve(), errors: () => Promise.resolve(), close: () => undefined }
  await expect(sessions.run({ ...moderated(new FakeShell()), openShell }, client)).rejects.toThrow('open a terminal instead')
  expect(openShell).not.toHaveBeenCalled()
  expect(audit.codes).toEqual([])
})

test('without its moderator a session pauses: keys are dropped, output waits, and it goes on when they are back', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(moderated(shell, 'pause'))
  const alice = enter(session)
  const moderator = enter(session, bob)
  await flushed()
  moderator.me.leave()
  expect(session.state).toBe('paused')
  expect(alice.screen.notices.join()).toContain('The session is paused')
  alice.me.input(Buffer.from('lost'))
  shell.says('unseen')
  await flushed()
  expect(alice.screen.text).toBe('')
  expect(shell.heard).toEqual([])
  enter(session, bob)
  await expect.poll(() => alice.screen.text).toBe('unseen')
  alice.me.input(Buffer.from('ls'))
  expect(Buffer.concat(shell.heard).toString()).toBe('ls')
})

test('where the role says so, the session ends with its moderator; it begins only while its owner is there', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(moderated(shell, 'terminate'))
  const early = enter(session)
  const moderator = enter(session, bob)
  moderator.me.leave()
  expect(await early.screen.closed.promise).toBe('cut')
  expect(early.screen.notices.at(-1)).toBe('The session is closed: somebody who is needed in it left.')
  await session.ended
  expect(audit.of('T3006I')).toMatchObject({ user: 'alice', reason: 'somebody who is needed in the session left' })

  const openShell = vi.fn<OpenSession['openShell']>(() => Promise.resolve(shell))
  const waiting = await sessions.open({ ...moderated(shell), openShell })
  const owner = enter(waiting)
  owner.me.leave()
  enter(waiting, bob)
  await flushed()
  expect(openShell).not.toHaveBeenCalled()
  enter(waiting)
  await expect.poll(() => openShell).toHaveBeenCalledOnce()
})

test('a shell that does not open ends the session with a sentence', async () => {
  const session = await sessions.open({
    ...moderated(new FakeShell()),
    openShell: () => Promise.reject(new Error('refused')),
    explain: (error) => `Closed: ${String(error)}`,
  })
  const alice = enter(session)
  enter(session, bob)
  expect(await alice.screen.closed.promise).toBe('cut')
  expect(alice.screen.notices.at(-1)).toBe('Closed: Error: refused')
  await session.ended
  expect(audit.codes).toContain('T2004I')
})

test('a moderator ends the session with t and leaves with Ctrl-C; answers of their terminal and an observer end nothing', async () => {
  const session = await sessions.open(request(new FakeShell()))
  const alice = enter(session)
  const first = enter(session, { user: 'carol', mode: 'moderator' })
  const observer = enter(session, { user: 'dan', mode: 'observer' })
  first.me.input(Buffer.from('\u001b[8;1;1t'))
  observer.me.input(Buffer.from('t'))
  first.me.input(Buffer.from('\u0003'))
  expect(await first.screen.closed.promise).toBe('cut')
  expect(session.parties).toHaveLength(2)
  enter(session, bob).me.input(Buffer.from('t'))
  expect(await alice.screen.closed.promise).toBe('cut')
  expect(alice.screen.notices.at(-1)).toBe('The session is closed: bob ended it.')
  await session.ended
  expect(audit.of('T3006I')).toMatchObject({ user: 'alice', reason: 'bob ended the session' })
})

test('one party can be removed by id, and is told by whom', async () => {
  const session = await sessions.open(request(new FakeShell()))
  enter(session)
  const dan = enter(session, { user: 'dan', mode: 'peer' })
  expect(session.removeParty(dan.me.id, 'bob')).toBe(true)
  expect(session.removeParty(dan.me.id, 'bob')).toBe(false)
  expect(await dan.screen.closed.promise).toBe('cut')
  expect(dan.screen.notices.at(-1)).toBe('You were removed from the session by bob.')
  expect(session.parties.map(({ user }) => user)).toEqual(['alice'])
  await flushed()
  expect(audit.of('T3006I')).toMatchObject({ user: 'dan', reason: 'bob removed them from the session' })
})

test('names in notices cannot steer the terminal of somebody else', async () => {
  const session = await sessions.open(request(new FakeShell()))
  const alice = enter(session)
  enter(session, { user: 'eve\u001b]0;x\u0007\r\n\u202eroot', mode: 'observer' })
  expect(alice.screen.notices).toEqual(['eve\\u{1b}]0;x\\u{7}\\u{d}\\u{a}\\u{202e}root joined the session as observer.'])
})

test('people who come and go are announced, but never on the screen of a full-screen program', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const alice = enter(session)
  enter(session, bob).me.leave('dropped')
  expect(alice.screen.notices).toEqual(['bob joined the session as moderator.', 'bob lost the connection.'])
  shell.says('\u001b[?1049h')
  await flushed()
  const late = enter(session, bob)
  late.me.leave()
  expect(alice.screen.notices).toHaveLength(2)
})

test('who joins late gets the size and the screen of a full-screen program, which is made to draw anew', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const alice = enter(session)
  alice.me.resize(120, 40)
  shell.says('\u001b[?1049h\u001b[?25l')
  for (let count = 0; count < 10; count += 1) {
    shell.says(Buffer.alloc(30_000, 'x'))
    await flushed()
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const late = enter(session, { user: 'bob', mode: 'observer', size: { columns: 80, rows: 24 } })
  expect(late.screen.events).toMatchObject([{ event: 'resize', size: '120:40' }])
  expect(late.screen.restored).toBe('\u001b[m\u001b[?1049h\u001b[?25l')
  expect(late.screen.text).toHaveLength(64 * 1024)
  vi.advanceTimersByTime(1000)
  expect(shell.windows).toEqual(['120x40', '120x39', '120x40'])
})

test('a thousand people who want to join do no harm: beyond a limit they are refused', async () => {
  const session = await sessions.open(request(new FakeShell()))
  enter(session)
  let refused = 0
  for (let count = 0; count < 1000; count += 1)
    try {
      session.requireRoom(`guest${count}`)
      enter(session, { user: `guest${count}`, mode: 'observer' })
    } catch (error) {
      expect(error).toMatchObject({ status: 403, message: expect.stringContaining('the session is full') as string })
      refused += 1
    }
  expect(refused).toBe(1000 - audienceLimits.guests)
  for (let count = 1; count < audienceLimits.windowsOfOnePerson; count += 1) enter(session)
  expect(() => enter(session)).toThrow(`you are in this session ${audienceLimits.windowsOfOnePerson} times already`)
})

test('an owner whose connection broke comes back to the same shell, without a byte lost or shown twice', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const before = enter(session)
  shell.says('one two ')
  await expect.poll(() => before.screen.text).toBe('one two ')
  before.me.leave('dropped')
  shell.says('three ')
  await flushed()
  const { token, offset } = before.screen.seat ?? { token: '', offset: -1 }
  expect(offset).toBe(0)
  // The last four bytes never arrived.
  const after = enter(session, {}, { token, offset: 4 })
  expect(after.screen.seat?.offset).toBe(4)
  expect(after.screen.text).toBe('two three ')
  expect(after.screen.restored).toBe('')
  expect(session.isSeated(token, 'alice', 'w')).toBe(false)
  after.me.input(Buffer.from('ls'))
  expect(Buffer.concat(shell.heard).toString()).toBe('ls')
})

test('a seat is for the same person in the same web session; an old connection that still hangs is replaced', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const hanging = enter(session)
  hanging.me.stall(true)
  const { token = '' } = hanging.screen.seat ?? {}
  expect(session.isSeated(token, 'bob', 'w')).toBe(false)
  expect(session.isSeated(token, 'alice', 'other')).toBe(false)
  expect(session.isSeated('', 'alice', 'w')).toBe(false)
  expect(session.isSeated(token, 'alice', 'w')).toBe(true)
  const back = enter(session, {}, { token, offset: 0 })
  expect(await hanging.screen.closed.promise).toBe('cut')
  expect(session.parties).toHaveLength(1)
  shell.says('flows')
  await expect.poll(() => back.screen.text).toBe('flows')
})

test('a shell waits for its owner as long as the grace says, or twenty seconds when they left in good order', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  for (const [how, time] of [
    ['dropped', grace],
    ['left', 20_000],
  ] as const) {
    const session = await sessions.open(request(new FakeShell()))
    enter(session).me.leave(how)
    vi.advanceTimersByTime(time - 1)
    expect(sessions.get(session.subject.sid)).toBe(session)
    vi.advanceTimersByTime(1)
    await session.ended
  }
})

test('output that nobody sees is kept for its owner up to a megabyte; then the program waits', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const before = enter(session)
  before.me.leave('dropped')
  const sent: Buffer[] = []
  for (let count = 0; count < 60; count += 1) {
    const piece = Buffer.alloc(30_000, count)
    sent.push(piece)
    shell.says(piece)
    await flushed()
  }
  expect(shell.isPaused()).toBe(true)
  const after = enter(session, {}, { token: before.screen.seat?.token ?? '', offset: 0 })
  const whole = Buffer.concat(sent)
  await expect.poll(() => Buffer.concat(after.screen.seen)).toHaveLength(whole.length)
  expect(Buffer.concat(after.screen.seen).equals(whole)).toBe(true)
})

test('signing out ends a session at once also while its owner is away', async () => {
  const signedOut = new AbortController()
  const session = await sessions.open(request(new FakeShell()))
  enter(session, { signal: signedOut.signal }).me.leave('dropped')
  signedOut.abort()
  await session.ended
  expect(audit.of('T3006I')).toMatchObject({ user: 'alice', reason: 'the web session ended' })

  const elsewhere = new AbortController()
  const kept = await sessions.open(request(new FakeShell()))
  enter(kept, { signal: elsewhere.signal }).me.leave('dropped')
  enter(kept)
  elsewhere.abort()
  await flushed()
  expect(sessions.get(kept.subject.sid)).toBe(kept)
})

test('a moderator who showed a key shows it again in time, or is put out', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  const session = await sessions.open(moderated(new FakeShell(), 'pause'))
  enter(session)
  let answers = true
  const prove = vi.fn<() => Promise<void>>(() => (answers ? Promise.resolve() : Promise.reject(new Error('no'))))
  const moderator = enter(session, { ...bob, prove })
  await vi.advanceTimersByTimeAsync(29_000)
  expect(prove).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(91_000)
  expect(prove.mock.calls.length).toBeGreaterThanOrEqual(3)
  expect(session.state).toBe('running')
  answers = false
  await vi.advanceTimersByTimeAsync(90_000)
  expect(await moderator.screen.closed.promise).toBe('cut')
  expect(moderator.screen.notices.at(-1)).toBe('You left the session: you did not confirm that you are there')
  expect(session.state).toBe('paused')
  await expect.poll(() => audit.of('T3006I')).toMatchObject({ user: 'bob' })
})

/** What is kept of a session when disk, audit log or process fail. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { digestOf, encodeFileHeader } from '../recordings/format.ts'
import { Recorder } from '../recordings/recorder.ts'
import type { Recordings } from '../recordings/recordings.ts'
import { startCompleter } from './completer.ts'
import { createLiveSessions } from './live-sessions.ts'
import type { LiveSessions } from './live-sessions.ts'
import { attendee, clock, FakeShell, grace, log, recordedOf, request, Screen, openSessions } from './session-doubles.ts'
import type { FakeAudit, SessionsAlone } from './session-doubles.ts'

let directory: string
let recordings: Recordings
let audit: FakeAudit
let sessions: LiveSessions
let opened: SessionsAlone

beforeEach(async () => {
  opened = await openSessions()
  ;({ directory, recordings, audit, sessions } = opened)
})
afterEach(async () => {
  vi.useRealTimers()
  await opened[Symbol.asyncDispose]()
})

test('no shell is opened when the start cannot be written down, and nothing looks abandoned', async () => {
  audit.failing.add('T2000I')
  let opened = false
  const attempt = sessions.open(request(new FakeShell(), { openShell: () => Promise.resolve(((opened = true), new FakeShell())) }))
  await expect(attempt).rejects.toThrow('the database is down')
  expect(opened).toBe(false)
  expect(await recordings.unsealed()).toEqual([])
})

test('a shell that does not open ends the session in log and recording', async () => {
  const asked = request(new FakeShell(), { openShell: () => Promise.reject(new Error('refused')) })
  await expect(sessions.open(asked)).rejects.toThrow('refused')
  expect(audit.codes).toEqual(['T2000I', 'T2004I', 'T2006I', 'T2005I'])
})

test('a strict session does not start without its recording; a best-effort one starts and says so', async () => {
  await rm(directory, { recursive: true })
  await writeFile(directory, 'in the way')
  await expect(sessions.open(request(new FakeShell()))).rejects.toMatchObject({ name: 'RecordingError', code: 'cannot-write' })
  expect(audit.codes).toEqual([])
  const shell = new FakeShell()
  const session = await sessions.open(request(shell, { mode: 'best_effort' }))
  const screen = new Screen()
  session.join(attendee(screen))
  expect(screen.notices[0]).toContain('This session is not recorded.')
  shell.exits()
  await session.ended
  expect(audit.of('T2000I')).toMatchObject({ session_recording: 'off' })
  expect(audit.of('T2004I')).toMatchObject({ session_recording: 'off' })
  expect(audit.codes).not.toContain('T2005I')
})

/** Recordings on a disk that fills up when told to. */
function onFillingDisk(): { disk: { isFull: boolean }; recordings: Recordings } {
  const disk = { isFull: false }
  const create: Recordings['create'] = async (options) => {
    const files = { recording: join(directory, 'open', `${options.sid}.rec`), index: join(directory, 'open', `${options.sid}.idx`) }
    await mkdir(join(directory, 'open'), { recursive: true })
    const header = encodeFileHeader(options)
    const [recording, index] = [await open(files.recording, 'wx'), await open(files.index, 'wx')]
    await recording.write(header)
    const write = recording.writev.bind(recording)
    recording.writev = (...parameters) =>
      disk.isFull ? Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' })) : write(...parameters)
    const position = { file: header.length, index: 0, sequence: 0, nextEi: 0, streamOffset: 0, previous: digestOf(header) }
    return new Recorder(options, { recording, index }, position)
  }
  return { disk, recordings: { ...recordings, create } }
}

test('the disk fills up: a strict session ends with a reason, and its end is completed when there is room again', async () => {
  const filling = onFillingDisk()
  sessions = createLiveSessions({ audit, recordings: filling.recordings, clock, steady: () => performance.now(), log, grace })
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  const screen = new Screen()
  session.join(attendee(screen))
  filling.disk.isFull = true
  shell.says('lost')
  expect(await screen.closed.promise).toBe('cut')
  expect(screen.notices.join()).toContain('The recording cannot be written: the disk is full.')
  await session.ended
  expect(audit.codes).toEqual(['T2000I', 'T2001I', 'T3006I', 'T2003I', 'T2004I', 'T2006I'])
  await using completer = startCompleter({ audit, recordings, clock, log, isLive: sessions.isLive })
  await completer.caughtUp
  expect(audit.codes.at(-1)).toBe('T2005I')
  expect(audit.codes.filter((code) => code === 'T2004I')).toHaveLength(1)
  expect((await recordedOf(recordings, session.subject.sid)).events.at(-1)).toBe('session.end')
})

test('the disk fills up: a best-effort session says so and goes on', async () => {
  const filling = onFillingDisk()
  sessions = createLiveSessions({ audit, recordings: filling.recordings, clock, steady: () => performance.now(), log, grace })
  const shell = new FakeShell()
  const session = await sessions.open(request(shell, { mode: 'best_effort' }))
  const screen = new Screen()
  session.join(attendee(screen))
  filling.disk.isFull = true
  shell.says('lost')
  await expect.poll(() => screen.notices.join()).toContain('This session is not recorded.')
  shell.says(' and seen')
  shell.exits()
  expect(await screen.closed.promise).toBe('exit')
  expect(screen.text).toBe('lost and seen')
})

test('a process that died in mid-session: its recording is completed, its end announced once', async () => {
  const shell = new FakeShell()
  const { subject } = request(shell)
  const recorder = await recordings.create({
    sid: subject.sid,
    start: clock.now(),
    elapsed: () => 4000,
    onDrain: () => undefined,
    onFailure: () => undefined,
  })
  recorder.event({
    event: 'session.start',
    code: 'T2000I',
    cluster_name: 'main',
    sid: subject.sid,
    user: 'alice',
    login: 'root',
    size: '80:25',
    server_hostname: 'web-1',
  })
  recorder.event({ event: 'session.join', user: 'bob' })
  recorder.print(Buffer.from('half a senten'))
  await recorder.flush()
  recorder.print(Buffer.from('ce'))
  await recorder.close()
  const unstarted = randomUUID()
  await writeFile(join(directory, 'open', `${unstarted}.rec`), '')
  const deps = { audit, recordings, clock, log, isLive: () => false }
  audit.failing.add('T2005I')
  const first = startCompleter(deps)
  await first.caughtUp
  expect(audit.codes).toEqual(['T2004I'])
  audit.failing.clear()
  await first[Symbol.asyncDispose]()
  await using second = startCompleter(deps)
  await second.caughtUp
  expect(audit.codes).toEqual(['T2004I', 'T2005I'])
  expect(audit.of('T2004I')).toMatchObject({
    sid: subject.sid,
    user: 'alice',
    participants: ['alice', 'bob'],
    session_stop: '2026-11-21T00:00:04.000Z',
    interactive: true,
  })
  expect(await recordings.unsealed()).toEqual([])
  expect(await recordedOf(recordings, subject.sid)).toEqual({
    output: Buffer.from('half a senten'),
    events: ['session.start', 'session.join', 'session.end'],
  })
})

test('an end that the audit log could not take is made up for later', async () => {
  const shell = new FakeShell()
  const session = await sessions.open(request(shell))
  audit.failing.add('T2004I')
  shell.exits()
  session.join(attendee(new Screen()))
  await session.ended
  expect(audit.codes).not.toContain('T2004I')
  audit.failing.clear()
  await using completer = startCompleter({ audit, recordings, clock, log, isLive: sessions.isLive })
  await completer.caughtUp
  expect(audit.codes.slice(-2)).toEqual(['T2004I', 'T2005I'])
})

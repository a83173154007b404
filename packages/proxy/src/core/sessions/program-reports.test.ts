/** What is kept of what programs of a session do. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ProgramReport, ProgramReports } from './program-reports.ts'
import { attendee, FakeShell, openSessions, recordedOf, request, Screen } from './session-doubles.ts'
import type { SessionsAlone } from './session-doubles.ts'

let opened: SessionsAlone
beforeEach(async () => void (opened = await openSessions()))
afterEach(() => opened[Symbol.asyncDispose]())

const command: ProgramReport = { kind: 'command', program: 'ls', path: '/bin/ls', argv: ['-l'], return_code: 0, ppid: 1 }
const disk: ProgramReport = { kind: 'disk', program: 'ls', path: '/etc', flags: 0, return_code: 0 }
const network: ProgramReport = { kind: 'network', program: 'curl', src_addr: '10.0.0.1', dst_addr: '10.0.0.2', dst_port: 443 }
const lost: ProgramReport = { kind: 'lost', count: 3, reason: 'it did too much at a time' }

class Watched extends FakeShell {
  readonly programs: ProgramReports
  readonly late = Promise.withResolvers<ProgramReport>()
  constructor(given: Partial<ProgramReports>, reports: readonly ProgramReport[] = []) {
    super()
    const { late } = this
    const told = Promise.withResolvers<void>()
    async function* batches() {
      yield reports
      told.resolve()
      yield [await late.promise]
    }
    this.programs = { kinds: ['command'], missing: [], batches: batches(), over: () => told.promise, ...given }
  }
}

test('what was told before the end stands before it, in the audit log and in the recording, files in the log alone', async () => {
  const { sessions, audit, recordings } = opened
  const shell = new Watched({}, [command, disk, network, lost])
  const session = await sessions.open(request(shell))
  session.join(attendee(new Screen()))
  shell.exits()
  await session.ended
  const codes = audit.codes.filter((code) => !['T2001I', 'T2003I'].includes(code))
  expect(codes).toEqual(['T2000I', 'T4000I', 'T4001I', 'T4002I', 'TSE001W', 'T2004I', 'T2006I', 'T2005I'])
  const { sid } = session.subject
  expect(audit.of('T4000I')).toMatchObject({
    sid,
    user: 'alice',
    login: 'root',
    program: 'ls',
    path: '/bin/ls',
    argv: ['-l'],
    return_code: 0,
    ppid: 1,
  })
  expect(audit.of('T4002I')).toMatchObject({ sid, action: 0, program: 'curl', dst_port: 443 })
  expect(audit.of('TSE001W')).toMatchObject({ sid, count: 3, reason: 'it did too much at a time' })
  expect(audit.of('T2004I')).toMatchObject({ enhanced_recording: true })
  const { events } = await recordedOf(recordings, sid)
  const told = events.filter((event) => !['session.join', 'session.leave'].includes(event))
  expect(told).toEqual(['session.start', 'session.command', 'session.network', 'session.enhanced.lost', 'session.end'])
  // A program that was left running still tells.
  shell.late.resolve({ ...command, program: 'late' })
  await expect.poll(() => audit.events.filter(({ code }) => code === 'T4000I')).toMatchObject([{ program: 'ls' }, { program: 'late', sid }])
})

test('a host that cannot is no reason to refuse: the end of the session says so', async () => {
  const { sessions, audit } = opened
  const shell = new Watched({ kinds: [], missing: ['command: bpftrace is not installed'] })
  const session = await sessions.open(request(shell))
  session.join(attendee(new Screen()))
  shell.exits()
  await session.ended
  expect(audit.of('T2004I')).toMatchObject({
    enhanced_recording: false,
    enhanced_recording_missing: ['command: bpftrace is not installed'],
  })
})

test('an audit log that fails for a while ends neither the session nor the telling', async () => {
  const { sessions, audit } = opened
  audit.failing.add('T4000I')
  const shell = new Watched({}, [command])
  const session = await sessions.open(request(shell))
  session.join(attendee(new Screen()))
  shell.exits()
  await session.ended
  expect(audit.codes).not.toContain('T4000I')
  audit.failing.clear()
  shell.late.resolve(command)
  await expect.poll(() => audit.codes).toContain('T4000I')
})

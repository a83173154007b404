import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRecordings } from '../recordings/recordings.ts'
import type { CommandClient } from './command-session.ts'
import { createLiveSessions } from './live-sessions.ts'
import { clock, FakeAudit, FakeShell, grace, log, recordedOf, request } from './session-doubles.ts'
import type { ExitInfo } from './shell.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sallyport-commands-'))
})
afterAll(() => rm(directory, { recursive: true }))

class Client implements CommandClient {
  readonly input = new PassThrough()
  readonly got: string[] = []
  readonly closed = Promise.withResolvers<{ exit: ExitInfo; text: string | undefined }>()
  /** Codes that were durable when the client heard of the end. */
  before: readonly string[] = []
  readonly #audit: FakeAudit
  constructor(audit: FakeAudit) {
    this.#audit = audit
  }
  output(bytes: Buffer): Promise<void> {
    this.got.push(`out ${bytes.toString()}`)
    return Promise.resolve()
  }
  errors(bytes: Buffer): Promise<void> {
    this.got.push(`err ${bytes.toString()}`)
    return Promise.resolve()
  }
  close(exit: ExitInfo, text?: string): void {
    this.before = [...this.#audit.codes]
    this.closed.resolve({ exit, text })
  }
}

function start() {
  const audit = new FakeAudit()
  const recordings = createRecordings(directory)
  const sessions = createLiveSessions({ audit, recordings, clock, steady: () => performance.now(), log, grace })
  const shell = Object.assign(new FakeShell(), { stderr: new PassThrough() })
  const client = new Client(audit)
  const { subject, ...rest } = request(shell)
  const run = (command: string) => sessions.run({ ...rest, subject: { ...subject, command, isInteractive: false } }, client)
  return { audit, recordings, sessions, shell, client, run, sid: subject.sid }
}

test('streams pass through as they are, the recording has what a terminal shows, and the end is durable before the client hears it', async () => {
  const { audit, recordings, shell, client, run, sid } = start()
  const session = await run('make')
  client.input.end('typed')
  shell.says('one\ntwo\n')
  await expect.poll(() => client.got).toEqual(['out one\ntwo\n'])
  shell.stderr.end('oh no\n')
  await expect.poll(() => client.got).toContain('err oh no\n')
  shell.exits({ code: 3, signal: undefined })
  expect(await client.closed.promise).toEqual({ exit: { code: 3, signal: undefined }, text: undefined })
  await session.ended
  expect(Buffer.concat(shell.heard).toString()).toBe('typed')
  expect(client.before).toEqual(expect.arrayContaining(['T2000I', 'T3002E', 'T2004I']))
  expect(audit.of('T3002E')).toMatchObject({ command: 'make', exitCode: '3', exitError: 'exit status 3' })
  expect(audit.of('T2004I')).toMatchObject({ interactive: false, initial_command: ['make'] })
  expect(audit.of('T2000I')).not.toHaveProperty('size')
  expect((await recordedOf(recordings, sid)).output.toString()).toBe('one\r\ntwo\r\noh no\r\n')
})

test('a copy by the old scp is told as what it is', async () => {
  const { audit, shell, client, run } = start()
  await run('scp -v -t -- /srv/a file')
  shell.stderr.end()
  shell.exits()
  await client.closed.promise
  expect(audit.of('T3005I')).toMatchObject({ action: 'upload', path: '/srv/a file', exitCode: '0' })
  expect(audit.codes).not.toContain('T3002I')
})

test('what is cut says why, and nothing comes after it', async () => {
  const { audit, sessions, shell, client, run } = start()
  const session = await run('sleep')
  session.end({ kind: 'cut', text: 'Enough.', disconnected: 'enough' })
  shell.stderr.write('late')
  expect(await client.closed.promise).toEqual({ exit: { code: undefined, signal: undefined }, text: 'Enough.' })
  await session.ended
  expect(client.got).toEqual([])
  expect(audit.of('T3006I')).toMatchObject({ reason: 'enough' })
  expect(shell.destroyed).toBe(true)
  await sessions[Symbol.asyncDispose]()
})

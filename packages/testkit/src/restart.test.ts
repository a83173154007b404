/** A proxy that is restarted while it runs: what runs on it goes on, and is reached through the new process. */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { openAuthorities } from '@sallyport/proxy/core/authorities/authorities.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { callPath } from '@sallyport/wire/call.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { recordingStream } from '@sallyport/wire/calls/playback.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { signOut } from '@sallyport/wire/calls/session.ts'
import { activeSessions, endSession, removeParty } from '@sallyport/wire/calls/sessions.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { NativeClient } from './native-client.ts'
import { logins, ownLogin, roles } from './people.ts'
import type { Name } from './people.ts'
import { startProxyProcess } from './started-proxy.ts'
import type { StartedProxy } from './started-proxy.ts'
import { joinHost } from './targets/agent.ts'
import type { JoinedHost, RunningAgent } from './targets/agent.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import type { TerminalTarget } from './terminal-client.ts'

interface Facts {
  id: string
  resume: { token: string; offset: number }
}

// Each restart starts a process, beside others.
vi.setConfig({ testTimeout: 120_000 })

const opened = new AsyncDisposableStack()
let proxy: StartedProxy
let far: JoinedHost
let agent: RunningAgent
const people = {} as Record<Name, ApiClient>
const here = (): { clusterId: string } => ({ clusterId: proxy.cluster })

/** A terminal of before the restart, with its facts. */
interface Before {
  terminal: TerminalClient
  facts: Facts
}
async function open(client: ApiClient, target: Partial<TerminalTarget> = {}): Promise<Before> {
  const terminal = opened.use(
    await TerminalClient.open(client, {
      cluster: proxy.cluster,
      ...(target.sid === undefined && { serverId: proxy.hostId, login: ownLogin }),
      ...target,
    }),
  )
  const { session } = JSON.parse(await terminal.frame('s')) as { session: Facts }
  return { terminal, facts: session }
}
const listed = async (client: ApiClient): Promise<string[]> =>
  (await client.call(activeSessions, { params: here() })).sessions.map(({ id }) => id)
const numbersIn = (output: string): number[] => [...output.matchAll(/n=(\d+)\./g)].map(([, number]) => Number(number))
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
/** Pauses without a program: of one that ends at the moment of an interrupt, the shell takes it for the program's own affair. */
const count = 'exec 9<> <(:); i=0; while [ $i -lt 100000 ]; do i=$((i+1)); echo "n=$i."; read -t 0.01 -u 9; done\r'
/** So many lines more than there are now. */
const more = (terminal: TerminalClient, lines: number): Promise<unknown> =>
  terminal.see(`n=${(numbersIn(terminal.output).at(-1) ?? 0) + lines}.`)
const patience = { timeout: 60_000 }
async function interrupt(terminal: TerminalClient): Promise<void> {
  terminal.type('\x03')
  await terminal.see(/\^C[^]*[$#] $/)
}

let counting: Before
let kept: Before
let bobs: Before
let remote: Before
let shell: ChildProcess | undefined
let shellSaid = ''
let restarts = 0
const restart = async (): Promise<void> => {
  restarts += 1
  await expect(proxy.restart()).resolves.toBe(restarts)
}

beforeAll(async () => {
  proxy = opened.use(await startProxyProcess())
  for (const name of ['alice', 'bob'] as const) people[name] = await proxy.signIn(name)
  const { token } = await ask(proxy.dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600 })
  far = opened.use(await joinHost({ proxy: proxy.url, token, hostname: 'far-away' }))
  agent = far.start()
  await agent.logged('connected')
  counting = await open(people.alice)
  counting.terminal.type(count)
  kept = await open(people.alice)
  bobs = await open(people.bob)
  await vi.waitUntil(async () => (await ask(proxy.dataDir, adminCalls.status, undefined)).nodes === 2, patience)
  remote = await open(people.alice, { serverId: far.hostId })
  remote.terminal.type(count)
  if (!whyNoProgram('ssh')) {
    const authorities = await openAuthorities(join(proxy.dataDir, 'keys'), Date)
    const address = { host: '127.0.0.1', port: proxy.port }
    const native = opened.use(await NativeClient.create({ proxy: { authorities, address } as never, cluster: proxy.cluster }))
    shell = native.start('ssh', [proxy.hostId, 'cat'])
    shell.stdout?.on('data', (bytes: Buffer) => (shellSaid += bytes.toString()))
    shell.stdin?.write('before\n')
    await vi.waitUntil(() => shellSaid === 'before\n', patience)
  }
  for (const { terminal } of [counting, remote]) await terminal.see('n=20.')
  await restart()
})
afterAll(() => opened.disposeAsync())

test('a terminal goes on through two restarts in a row without a byte lost, and new ones open on the newest process', async () => {
  for (const _ of [1, 2]) {
    await more(counting.terminal, 50)
    const fresh = await open(people.alice)
    fresh.terminal.type('echo fre""sh; exit\r')
    await fresh.terminal.see('fresh')
    await fresh.terminal.closed()
    if (restarts < 2) await restart()
  }
  const seen = numbersIn(counting.terminal.output)
  expect(seen).toEqual(upTo(seen.length))
  // The middle one has nothing left to do.
  await expect.poll(async () => (await proxy.generations()).map(({ number }) => number)).toEqual([0, 2])
})

test('a terminal on a host with an agent goes on, and a new one goes through the connection that the agent made anew', async () => {
  await agent.logged('the proxy was restarted, and gets a connection more')
  await more(remote.terminal, 50)
  const fresh = await open(people.alice, { serverId: far.hostId })
  fresh.terminal.type('echo ag""ain; exit\r')
  await fresh.terminal.see('again')
  await fresh.terminal.closed()
  const seen = numbersIn(remote.terminal.output)
  expect(seen).toEqual(upTo(seen.length))
  await interrupt(remote.terminal)
  remote.terminal.type('exit\r')
  await remote.terminal.closed()
  // Nothing runs through the old connection any more.
  await agent.logged('disconnected')
})

test('whoever lost their connection comes back to their seat through the new process', async () => {
  const { terminal, facts } = kept
  terminal.type('X=ke""pt; echo re""ady\r')
  await terminal.see(/ready\r\n/)
  const seen = terminal.outputBytes
  terminal.socket.terminate()
  await terminal.closed()
  const resume = { token: facts.resume.token, offset: facts.resume.offset + seen }
  kept = await open(people.alice, { sid: facts.id, resume })
  expect(kept.facts.resume.offset).toBe(resume.offset)
  kept.terminal.type('echo still $X\r')
  await kept.terminal.see('still kept')
})

test('sessions of every process are listed, joined, and left at the wish of who may', async () => {
  const { id: sid } = kept.facts
  // Those of the tests before leave the list of their process when their ends are written down.
  await expect.poll(async () => (await listed(people.alice)).toSorted()).toEqual([counting.facts.id, sid, bobs.facts.id].toSorted())
  expect(await listed(people.bob)).toEqual([bobs.facts.id])
  // What the new process is told of roles counts in the old one, where the session is.
  await expect(open(people.alice, { sid: bobs.facts.id, mode: 'observer' })).rejects.toThrow('403')
  const allow = { join_sessions: [{ name: 'w', roles: ['*'], kinds: ['ssh'], modes: ['observer', 'moderator'] }] }
  const content = JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'watching' }, spec: { allow } })
  await people.alice.call(createRole, { body: { content } })
  await people.alice.call(updateUser, {
    body: { name: 'alice', roles: [...roles.alice, 'watching'], traits: { logins: [...logins.alice] } },
  })
  const watcher = await open(people.alice, { sid: bobs.facts.id, mode: 'observer' })
  bobs.terminal.type('echo seen by bo""th\r')
  await watcher.terminal.see('seen by both')
  const { sessions } = await people.alice.call(activeSessions, { params: here() })
  const party = sessions.find(({ id }) => id === bobs.facts.id)?.parties?.find(({ user }) => user === 'alice')
  await people.alice.call(removeParty, { params: { ...here(), sid: bobs.facts.id, partyId: party?.id ?? '' } })
  await watcher.terminal.closed()
  // Whoever may not see it is told that there is none, as ever.
  const refused = people.bob.call(endSession, { params: { ...here(), sid } })
  await expect(refused).rejects.toThrow(`session ${sid} is not running`)
  await people.alice.call(endSession, { params: { ...here(), sid } })
  await kept.terminal.closed()
  await expect.poll(() => listed(people.alice)).not.toContain(sid)
})

test('a limit of sessions counts those of every process', async () => {
  const role = { kind: 'role', version: 'v6', metadata: { name: 'one-at-a-time' }, spec: { options: { max_sessions: 1 } } }
  await people.alice.call(createRole, { body: { content: JSON.stringify(role) } })
  const body = { name: 'bob', roles: [...roles.bob, 'one-at-a-time'], traits: { logins: [...logins.bob] } }
  await people.alice.call(updateUser, { body })
  const second = opened.use(await TerminalClient.open(people.bob, { cluster: proxy.cluster, serverId: proxy.hostId, login: ownLogin }))
  await second.see('too many sessions: your roles allow 1 at a time')
})

test('a lock that is placed on the new process ends a terminal of the old one', async () => {
  const { name } = await people.alice.call(locks.put, { params: here(), body: { targets: { user: 'bob' }, message: 'left' } })
  await bobs.terminal.closed()
  expect(bobs.terminal.output).toContain('The session is closed: lock targeting User:"bob" is in force: left')
  await people.alice.call(locks.remove, { params: { ...here(), uuid: name } })
})

describe.skipIf(whyNoProgram('ssh'))('with OpenSSH', () => {
  test("a client's session goes on, and ends with its own status", async () => {
    if (!shell) throw new Error('it was not started')
    const ended = once(shell, 'close')
    shell.stdin?.end('after\n')
    await ended
    expect(shellSaid).toBe('before\nafter\n')
    expect(shell.exitCode).toBe(0)
  })
})

test('what ran through restarts is recorded whole, the audit log is unbroken, and signing out ends what is left', async () => {
  const { terminal, facts } = counting
  await interrupt(terminal)
  const again = await open(people.alice)
  await people.alice.call(signOut)
  await Promise.all([terminal.closed(), again.terminal.closed()])
  expect(terminal.output).toContain('you were signed out')
  const alice = await proxy.signInAgain('alice')
  const ofSession = async (): Promise<string[]> => {
    const query = { include: 'session.start,session.join,session.leave,session.end,session.upload', limit: 1000, order: 'asc' } as const
    const { events } = await alice.call(searchEvents, { params: here(), query })
    return events.flatMap((event) => (event['sid'] === facts.id ? [event.event] : []))
  }
  await expect.poll(ofSession).toEqual(['session.start', 'session.join', 'session.leave', 'session.end', 'session.upload'])
  const recording = await alice.fetch(callPath(recordingStream.path, { ...here(), sid: facts.id }))
  const recorded = numbersIn(await recording.text())
  expect(recorded).toEqual(numbersIn(terminal.output))
  await expect.poll(async () => (await proxy.generations()).map(({ sessions }) => sessions)).toEqual([0])
  expect(await ask(proxy.dataDir, adminCalls.verifyAudit, undefined)).toMatchObject({ ok: true })
  const verified = await ask(proxy.dataDir, adminCalls.verifyRecording, { sid: facts.id })
  expect(verified).toEqual({ state: 'signed' })
})

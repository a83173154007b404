/** What programs of sessions do, as the kernel tells it: through a real agent and bpftrace to the audit log and the recording. */
import { globSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ask } from '@sallyport/cli/admin-client.ts'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { auditCatalogue } from '@sallyport/wire/audit/catalogue.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { nodes } from '@sallyport/wire/calls/nodes.ts'
import { recordingEvents } from '@sallyport/wire/calls/playback.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { NativeClient } from './native-client.ts'
import { ownLogin } from './people.ts'
import { joinHost } from './targets/agent.ts'
import { whyNoTracing } from './targets/kernel-tracing.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

const whyNot = whyNoTracing()

/** False once it is gone, or only waits to be buried. */
function isTracer(pid: number): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/usr') && readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('bpftrace')
    )
  } catch {
    return false // gone
  }
}

describe.skipIf(whyNot.programs)(`enhanced recording${whyNot.programs === undefined ? '' : ` (${whyNot.programs})`}`, () => {
  let world: World
  let alice: ApiClient
  let bob: ApiClient
  let folder: string
  beforeAll(async () => {
    vi.stubEnv('SALLYPORT_ENHANCED_RECORDING', 'on')
    folder = await mkdtemp(join(tmpdir(), 'sallyport-programs-'))
    world = await createWorld({ people: ['alice', 'bob'] })
    alice = await world.signIn('alice')
    const spec = { allow: { logins: [ownLogin], node_labels: { '*': '*' } }, options: { enhanced_recording: ['command', 'disk'] } }
    await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'files' }, spec }) } })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['files'] } })
    bob = await world.signIn('bob')
  })
  afterAll(async () => {
    await world[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
    vi.unstubAllEnvs()
  })

  const open = (client: ApiClient, serverId = world.agentId): Promise<TerminalClient> =>
    TerminalClient.open(client, { cluster: world.cluster, serverId, login: ownLogin })
  const sidOf = async (terminal: TerminalClient): Promise<string> =>
    (JSON.parse(await terminal.frame('s')) as { session: { id: string } }).session.id
  /** Of the audit log, all pages. */
  const events = async (): Promise<AuditEventWire[]> => {
    const found: AuditEventWire[] = []
    let startKey = ''
    do {
      const page = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 5000, order: 'asc', startKey } })
      found.push(...page.events)
      startKey = page.startKey
    } while (startKey !== '')
    return found
  }
  const eventsOf = async (sid: string, ...codes: string[]): Promise<AuditEventWire[]> =>
    (await events()).filter((event) => event['sid'] === sid && codes.includes(event.code ?? ''))
  /** Runs lines in a shell to its end, and waits until that is in the audit log. */
  async function ran(client: ApiClient, ...lines: string[]): Promise<string> {
    await using terminal = await open(client)
    const sid = await sidOf(terminal)
    terminal.type(`${[...lines, 'exit'].join('\r')}\r`)
    await terminal.closed()
    await expect.poll(() => eventsOf(sid, 'T2004I')).toHaveLength(1)
    return sid
  }
  // The first session waits until bpftrace has begun, which takes long on a machine that does other things.
  test('R8-028: each program of a shell is in the audit log before the end of the session, with its arguments as they were', async () => {
    const script = join(folder, 'a script')
    await writeFile(script, '#!/bin/sh\n/bin/true from-the-script\n')
    await chmod(script, 0o755)
    const long = 'y'.repeat(3000)
    const sid = await ran(
      alice,
      `/bin/echo 'a b' 'grüße' '' "$(printf 'x\\ny')"`,
      `/bin/true ${long}`,
      `'${script}' one`,
      `/bin/true ${'z'.repeat(9000)}`,
    )
    const commands = await eventsOf(sid, 'T4000I')
    const of = (program: string): AuditEventWire[] => commands.filter((event) => event['program'] === program)
    expect(of('echo')).toMatchObject([
      {
        event: 'session.command',
        user: 'alice',
        login: ownLogin,
        server_id: world.agentId,
        pid: expect.any(Number) as number,
        cgroup_id: expect.any(Number) as number,
        path: '/bin/echo',
        argv: ['a b', 'grüße', '', 'x\ny'],
        return_code: 0,
      },
    ])
    expect(of('true').map((event) => event['argv'])).toMatchObject([[long], ['from-the-script'], [expect.stringMatching(/^z{6000,8000}$/)]])
    expect(of('true').map((event) => event['truncated'])).toEqual([undefined, undefined, true])
    expect(of('a script')).toMatchObject([{ path: script, argv: [script, 'one'] }])
    expect(of('true')[1]?.['ppid']).toBe(of('a script')[0]?.['pid'])
    expect(of('true')[0]?.['ppid']).not.toBe(of('a script')[0]?.['pid'])
    // What the agent itself starts on the way is no program of the session.
    expect(commands.map((event) => event['program'])).not.toContain('setpriv')
    expect(of('echo').map((event) => auditCatalogue.T4000I.message((name) => String(event[name]), event))).toEqual([`echo ran in ${sid}`])
    const [end] = await eventsOf(sid, 'T2004I')
    expect(end).toMatchObject({ enhanced_recording: true })
    expect(end).not.toHaveProperty('enhanced_recording_missing')
    expect(commands.every((event) => (event.ei ?? 0) < (end?.ei ?? 0))).toBe(true)
    const recorded = await alice.call(recordingEvents, { params: { clusterId: world.cluster, sid } })
    expect(recorded.events.filter(({ event }) => event === 'session.command')).toHaveLength(commands.length)
  })

  test('R8-028: what detaches itself stays with its session, also beyond its end; two sessions are told apart', async () => {
    await using first = await open(alice)
    await using second = await open(alice)
    const sids = [await sidOf(first), await sidOf(second)]
    const flag = join(folder, 'go')
    first.type(`setsid nohup sh -c 'until [ -e ${flag} ]; do :; done; /bin/echo after-the-end' >/dev/null 2>&1 </dev/null &\r`)
    second.type('/bin/true of-the-second\r')
    await expect.poll(() => eventsOf(sids[1] ?? '', 'T4000I')).toContainEqual(expect.objectContaining({ argv: ['of-the-second'] }))
    await expect.poll(() => eventsOf(sids[0] ?? '', 'T4000I')).toContainEqual(expect.objectContaining({ program: 'setsid' }))
    first.type('exit\r')
    await first.closed()
    await expect.poll(() => eventsOf(sids[0] ?? '', 'T2004I')).toHaveLength(1)
    await writeFile(flag, '')
    await expect
      .poll(() => eventsOf(sids[0] ?? '', 'T4000I'))
      .toContainEqual(expect.objectContaining({ program: 'echo', argv: ['after-the-end'] }))
    expect(await eventsOf(sids[1] ?? '', 'T4000I')).not.toContainEqual(expect.objectContaining({ program: 'echo' }))
    expect(await eventsOf(sids[0] ?? '', 'T4000I')).not.toContainEqual(expect.objectContaining({ argv: ['of-the-second'] }))
    second.type('cat /proc/self/cgroup; exit\r')
    const [, group] = await second.see(/0::(\/\S*sallyport-[0-9a-f-]{36}\/programs\/[0-9a-f-]{36})/)
    await second.closed()
    await expect.poll(() => globSync(`/sys/fs/cgroup/**${group}`)).toEqual([])
  })

  test('connections are told with their addresses, by a native client as well', async () => {
    await using listening = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
    await once(listening, 'listening')
    const { port } = listening.address() as AddressInfo
    const sid = await ran(alice, `exec 3<>/dev/tcp/127.0.0.1/${port}`)
    expect(await eventsOf(sid, 'T4002I')).toMatchObject([
      { event: 'session.network', action: 0, program: 'bash', src_addr: '127.0.0.1', dst_addr: '127.0.0.1', dst_port: port },
    ])
    if (whyNoProgram('ssh')) return
    await using client = await NativeClient.create(world)
    expect((await client.ssh([agentHostname, '/bin/true native; exit 3'])).code).toBe(3)
    expect(await events()).toContainEqual(expect.objectContaining({ code: 'T4000I', program: 'true', argv: ['native'] }))
  })

  test.skipIf(whyNot.files)('files are told where a role wants them, and then only what it wants', async () => {
    const file = join(folder, `${'long-'.repeat(40)}ü`)
    await writeFile(file, '')
    const sid = await ran(bob, `cat '${file}'; echo > /dev/null; cat ${folder}/absent; exec 3<>/dev/tcp/127.0.0.1/1`)
    const opened = (await eventsOf(sid, 'T4001I')).map(({ program, path, flags, return_code }) => ({ program, path, flags, return_code }))
    expect(opened).toContainEqual({ program: 'cat', path: file, flags: 0, return_code: 0 })
    expect(opened).toContainEqual(expect.objectContaining({ path: '/dev/null', program: 'bash' }))
    expect(opened.map(({ path }) => path)).not.toContain(`${folder}/absent`)
    expect(await eventsOf(sid, 'T4002I')).toEqual([])
    expect((await eventsOf(sid, 'T4000I')).length).toBeGreaterThan(0)
  })

  test.skipIf(whyNot.files)(
    'a session that does too much: what is left out is counted in the audit log, the others lose nothing',
    async () => {
      await using loud = await open(bob)
      const sid = await sidOf(loud)
      loud.type('for i in {1..10000}; do : < /dev/zero; done; echo d""one; exit\r')
      const quiet = await ran(alice, '/bin/true in-between')
      await loud.see('done')
      await loud.closed()
      const told = async (): Promise<number> => (await eventsOf(sid, 'T4001I')).filter((event) => event['path'] === '/dev/zero').length
      const lost = async (): Promise<number> => (await eventsOf(sid, 'TSE001W')).reduce((sum, event) => sum + Number(event['count']), 0)
      await expect.poll(async () => (await told()) + (await lost())).toBeGreaterThanOrEqual(10_000)
      expect(await lost()).toBeGreaterThan(0)
      expect(await eventsOf(quiet, 'T4000I')).toContainEqual(expect.objectContaining({ argv: ['in-between'] }))
      expect(await eventsOf(quiet, 'TSE001W')).toEqual([])
    },
  )

  test('an agent as a process: a bpftrace that ends is replaced and the gap audited; a killed agent leaves nothing behind', async () => {
    const { token } = await ask(world.dataDir, adminCalls.addToken, { roles: ['node'], ttl: 3600 })
    await using host = await joinHost({ proxy: world.url, token, hostname: 'far-away' })
    const agent = host.start()
    const pid = agent.process.pid ?? 0
    await agent.logged('connected')
    await expect
      .poll(async () =>
        (await alice.call(nodes, { params: { clusterId: world.cluster }, query: { limit: 100 } })).items.map(({ id }) => id),
      )
      .toContain(host.hostId)
    await using terminal = await open(alice, host.hostId)
    const sid = await sidOf(terminal)
    terminal.type('cat /proc/self/cgroup\r')
    const [, id = ''] = await terminal.see(/sallyport-([0-9a-f-]{36})\/programs\/[0-9a-f-]{36}/)
    const tracer = (): number | undefined =>
      readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
        .trim()
        .split(' ')
        .map(Number)
        .find((child) => isTracer(child))
    await expect.poll(tracer).toBeDefined()
    const first = tracer() ?? expect.fail('it is gone')
    process.kill(first, 'SIGKILL')
    await expect.poll(() => eventsOf(sid, 'TSE001W')).toMatchObject([{ count: 0, reason: 'the host did not listen for a while' }])
    let round = 0
    await expect
      .poll(
        async () => {
          terminal.type(`/bin/true again-${++round}\r`)
          return (await eventsOf(sid, 'T4000I')).map((event) => String(event['argv']))
        },
        { interval: 500, timeout: 100_000 },
      )
      .toContainEqual(expect.stringMatching(/^again-/))
    const second = tracer() ?? expect.fail('there is none')
    expect(second).not.toBe(first)
    agent.process.kill('SIGKILL')
    await expect.poll(() => isTracer(second)).toBe(false)
    await expect.poll(() => globSync(`/sys/fs/cgroup/**/sallyport-${id}`)).toEqual([])
  }, 180_000)

  test.skipIf(whyNoProgram('sshd'))('a server without an agent: the session runs, and its end says what was not told and why', async () => {
    await using terminal = await open(alice, world.sshd?.id)
    const sid = await sidOf(terminal)
    terminal.type('exit\r')
    await expect
      .poll(() => eventsOf(sid, 'T2004I'))
      .toMatchObject([
        { enhanced_recording: false, enhanced_recording_missing: ['command: the server has no agent', 'network: the server has no agent'] },
      ])
  })
})

/** The disk of the recordings is full, really: what becomes of sessions whose roles demand a recording, and of those whose roles do not. */
import { spawnSync } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { NativeClient } from './native-client.ts'
import { ownLogin } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { agentHostname, createWorld } from './world.ts'
import type { World } from './world.ts'

const whyNot = process.platform === 'linux' && process.getuid?.() === 0 ? undefined : 'only root can make a small disk'

describe.skipIf(whyNot)(`a disk of one megabyte${whyNot === undefined ? '' : ` (${whyNot})`}`, () => {
  let world: World
  let alice: ApiClient
  let bob: ApiClient
  let folder: string
  beforeAll(async () => {
    world = await createWorld({ people: ['alice', 'bob'] })
    alice = await world.signIn('alice')
    // Whoever has a role of the cluster's own is recorded strictly; the strictest counts.
    const spec = { allow: { logins: [ownLogin], node_labels: { '*': '*' } }, options: { record_session: { ssh: 'best_effort' } } }
    await alice.call(createRole, { body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'loose' }, spec }) } })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['loose'] } })
    bob = await world.signIn('bob')
    folder = join(world.dataDir, 'recordings')
    await mkdir(folder, { recursive: true })
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'none', folder], { encoding: 'utf8' })
    if (mounted.status !== 0) throw new Error(mounted.stderr)
  })
  afterAll(async () => {
    spawnSync('umount', ['-l', folder])
    await world[Symbol.asyncDispose]()
  })

  const open = (client: ApiClient): Promise<TerminalClient> =>
    TerminalClient.open(client, { cluster: world.cluster, serverId: world.agentId, login: ownLogin })
  const eventsOf = async (user: string, ...codes: string[]): Promise<AuditEventWire[]> => {
    const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 1000 } })
    return events.filter((event) => event['user'] === user && codes.includes(event.code ?? ''))
  }
  const resize = (size: string) => spawnSync('mount', ['-o', `remount,size=${size}`, folder])
  /** More than the disk holds, and nothing that can be packed. */
  const tooMuch = 'head -c 2000000 /dev/urandom | base64 -w 0'

  test('best effort: the session goes on and says that it is not recorded, and so does its end', async () => {
    await using terminal = await open(bob)
    terminal.type(`${tooMuch}; echo "; go""es on"\r`)
    await terminal.see('; goes on')
    expect(terminal.output).toMatch(/Sallyport > .*not recorded/)
    terminal.type('exit\r')
    await terminal.frame('c')
    await expect.poll(() => eventsOf('bob', 'T2004I')).toHaveLength(1)
  })

  test('strict: no session starts on a full disk, and one that runs ends with the reason, on the screen and in the audit log', async () => {
    await using refused = await open(alice)
    await refused.closed()
    expect(refused.output).toContain('The recording cannot be written: the disk is full')
    expect(await eventsOf('alice', 'T1006W')).toMatchObject([{ reason: expect.stringContaining('the disk is full') as string }])
    resize('2m')
    await using terminal = await open(alice)
    await terminal.frame('s')
    terminal.type(`${tooMuch}\r`)
    await terminal.closed()
    expect(terminal.output).toContain('The session is closed, for it must be recorded. The recording cannot be written: the disk is full.')
    await expect.poll(() => eventsOf('alice', 'T3006I')).toMatchObject([{ reason: 'the session could not be recorded' }])
  })

  test.skipIf(whyNoProgram('ssh'))('strict: a command of a native client is cut as well', async () => {
    resize('3m')
    await using native = await NativeClient.create(world, { user: 'alice' })
    const { code, err } = await native.ssh([agentHostname, `${tooMuch}; ${tooMuch}`])
    expect(code).not.toBe(0)
    expect(err).toContain('it must be recorded')
  })

  test('once there is room again, sessions start', async () => {
    resize('50m')
    await using terminal = await open(alice)
    await terminal.frame('s')
    terminal.type('echo ro""om; exit\r')
    await terminal.frame('c')
    expect(terminal.output).toContain('room')
  })
})

/** `ssh -X` through the proxy, with a real X server, xauth and a program that asks it for its size. */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { authorizationOf } from '@sallyport/agent/display.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { NativeClient } from './native-client.ts'
import { ownLogin } from './people.ts'
import { requireProgram, whyNoProgram } from './targets/programs.ts'
import { displayOf, runGroup } from './targets/x-programs.ts'
import { addSshd, agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

const missing = (['ssh', 'Xvfb', 'xauth', 'xdpyinfo'] as const).map((program) => whyNoProgram(program)).find((why) => why !== undefined)
const hosts = [agentHostname, ...(whyNoProgram('sshd') ? [] : [sshdHostname])]
/** No other screen has this size. */
const size = '811x607'
const refusingHostname = 'without-windows'

describe.skipIf(missing)('windows of programs', () => {
  const opened = new AsyncDisposableStack()
  let world: World
  let alice: ApiClient
  let native: NativeClient
  let env: { DISPLAY: string; XAUTHORITY: string }
  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-screen-'))
    opened.defer(() => rm(folder, { recursive: true, force: true }))
    const cookie = randomBytes(16).toString('hex')
    const authority = join(folder, 'authority')
    await writeFile(authority, authorizationOf({ protocol: 'MIT-MAGIC-COOKIE-1', cookie, screen: 0 })(0), { mode: 0o600 })
    const screen = opened.use(
      runGroup('Xvfb', ['-displayfd', '3', '-auth', authority, '-nolisten', 'tcp', '-screen', '0', `${size}x24`], {
        stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      }),
    )
    env = { DISPLAY: await displayOf(screen), XAUTHORITY: join(folder, 'own') }
    const added = spawnSync(requireProgram('xauth'), ['-f', env.XAUTHORITY, 'add', env.DISPLAY, '.', cookie], { encoding: 'utf8' })
    if (added.status !== 0) throw new Error(added.stderr)
    world = opened.use(await createWorld({ people: ['alice', 'bob'] }))
    alice = await world.signIn('alice')
    const allow = { logins: [ownLogin], node_labels: { '*': '*' } }
    const spec = { allow, options: { permit_x11_forwarding: true } }
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'with-windows' }, spec }) },
    })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['with-windows'] } })
    native = opened.use(await NativeClient.create(world, { user: 'bob', env, lines: ['ForwardX11 yes', 'ForwardX11Trusted yes'] }))
  })
  afterAll(() => opened.disposeAsync())

  const audited = async (code: string, hostname: string): Promise<AuditEventWire[]> => {
    const { events } = await alice.call(searchEvents, { params: { clusterId: world.cluster }, query: { limit: 5000 } })
    return events.filter((event) => event.code === code && event['server_hostname'] === hostname)
  }

  for (const host of hosts) {
    test(`R8-052: a program on ${host} draws on the screen of its user, where a role says so, and that is written down`, async () => {
      const { code, out, err } = await native.ssh([host, 'xdpyinfo'])
      expect({ code, err }).toMatchObject({ code: 0 })
      expect(out.toString()).toContain(`dimensions:    ${size} pixels`)
      expect(await audited('T3008I', host)).toMatchObject([{ event: 'x11-forward', user: 'bob', login: ownLogin, success: true }])
      expect(await audited('T3008W', host)).toEqual([])
    })

    test(`in a terminal on ${host} too, with standard input in its place, and nobody without the cookie draws there`, async () => {
      const terminal = await native.ssh(['-tt', host, 'xdpyinfo'])
      expect(terminal.out.toString()).toContain(`dimensions:    ${size} pixels`)
      const { out, err } = await native.ssh([host, 'cat; XAUTHORITY=/dev/null xdpyinfo'], 'passed on')
      expect(out.toString()).toBe('passed on')
      expect(err).toContain('unable to open display')
    })
  }

  test('R8-052: whose roles do not say so gets a session without a display, and the refusal is written down', async () => {
    await using client = await NativeClient.create(world, { user: 'alice', env, lines: ['ForwardX11 yes', 'ForwardX11Trusted yes'] })
    const { code, out, err } = await client.ssh([agentHostname, 'echo "[$DISPLAY]"'])
    expect({ code, out: out.toString() }).toEqual({ code: 0, out: '[]\n' })
    expect(err).toContain('X11 forwarding request failed')
    expect(await audited('T3008W', agentHostname)).toMatchObject([{ event: 'x11-forward', user: 'alice', success: false }])
  })

  test.skipIf(whyNoProgram('sshd'))('a server that forwards none serves the session without', async () => {
    await using _sshd = await addSshd(world.proxy, refusingHostname, undefined, false)
    const { code, out, err } = await native.ssh([refusingHostname, 'echo "[$DISPLAY]"'])
    expect({ code, out: out.toString() }).toEqual({ code: 0, out: '[]\n' })
    expect(err).toContain('the server does not forward X11')
    expect(await audited('T3008W', refusingHostname)).toMatchObject([{ user: 'bob' }])
  })

  test('the display of a session ends with it', async () => {
    const child = native.start('ssh', [agentHostname, 'echo "$DISPLAY"; cat'])
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer]
    const port = 6000 + Number(/localhost:(\d+)\.0/.exec(String(line))?.[1])
    expect(await canConnect(port)).toBe(true)
    child.stdin?.end()
    await once(child, 'close')
    await expect.poll(() => canConnect(port)).toBe(false)
  })
})

async function canConnect(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false // nobody listens
  } finally {
    socket.destroy()
  }
}

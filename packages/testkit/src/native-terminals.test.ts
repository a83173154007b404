/** Terminals of OpenSSH's own client through the proxy: seen, joined, recorded and ended like those of the browser. */
import { confirmedExtension } from '@sallyport/proxy/core/authorities/person-extensions.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { searchEvents } from '@sallyport/wire/calls/events.ts'
import * as locks from '@sallyport/wire/calls/locks.ts'
import { create as createRole } from '@sallyport/wire/calls/roles.ts'
import { activeSessions } from '@sallyport/wire/calls/sessions.ts'
import { update as updateUser } from '@sallyport/wire/calls/users.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiClient } from './api-client.ts'
import { NativeClient } from './native-client.ts'
import { NativeWindow } from './native-window.ts'
import { ownLogin } from './people.ts'
import { whyNoProgram } from './targets/programs.ts'
import { TerminalClient } from './terminal-client.ts'
import { agentHostname, createWorld, sshdHostname } from './world.ts'
import type { World } from './world.ts'

let world: World
let alice: ApiClient
let native: NativeClient
beforeAll(async () => {
  world = await createWorld({ people: ['alice', 'bob'] })
  alice = await world.signIn('alice')
  native = await NativeClient.create(world)
})
afterAll(async () => {
  await native[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

const here = (): { clusterId: string } => ({ clusterId: world.cluster })
const events = async (sid?: string): Promise<AuditEventWire[]> => {
  const found = await alice.call(searchEvents, { params: here(), query: { limit: 2000, order: 'asc' } })
  return sid === undefined ? found.events : found.events.filter((event) => event['sid'] === sid)
}
/** The one that runs; those of the tests before end with their clients. */
async function onlySession() {
  const running = async () => (await alice.call(activeSessions, { params: here() })).sessions
  await expect.poll(running).toHaveLength(1)
  return (await running())[0]
}
const hosts = [agentHostname, ...(whyNoProgram('sshd') ? [] : [sshdHostname])]

describe.skipIf(whyNoProgram('ssh'))('terminals', () => {
  for (const host of hosts) {
    test(`R8-051: a terminal on ${host} has the window's size, follows it, ends with the shell's status, and is recorded`, async () => {
      using window = new NativeWindow(native, [host])
      window.pty.write('echo "size $(stty size) $TERM"; PS1=\n')
      await window.see('size 30 90 xterm')
      const session = await onlySession()
      expect(session).toMatchObject({ login: expect.any(String), server_hostname: host, parties: [{ user: 'alice' }] })
      window.pty.resize(132, 43)
      window.pty.write('while [ "$(stty size)" != "43 132" ]; do sleep 0.05; done; echo "now $(stty size)"\n')
      await window.see('now 43 132')
      window.pty.write('exit 5\n')
      expect(await window.exit.promise).toBe(5)
      const sid = session?.id ?? ''
      await expect.poll(async () => (await events(sid)).map(({ code }) => code)).toContain('T2005I')
      const written = await events(sid)
      expect(written.map(({ code }) => code)).toEqual(['T2000I', 'T2001I', 'T2002I', 'T2003I', 'T2004I', 'T2006I', 'T2005I'])
      expect(written.find(({ code }) => code === 'T2000I')).toMatchObject({
        size: '90:30',
        user: 'alice',
        server_hostname: host,
        initial_command: [],
      })
      expect(written.find(({ code }) => code === 'T2004I')).toMatchObject({ interactive: true })
    })

    test(`a command with a terminal on ${host} is interrupted by Ctrl-C`, async () => {
      using window = new NativeWindow(native, ['-tt', host, 'trap "exit 9" INT; echo ready; while :; do sleep 0.1; done'])
      await window.see('ready')
      window.pty.write('\x03')
      expect(await window.exit.promise).toBe(9)
      const ran = async () => (await events()).filter(({ code, ...event }) => code === 'T3002E' && event['exitCode'] === '9')
      await expect.poll(ran).not.toEqual([])
    })
  }

  test('a native terminal is joined from the browser, and outlives neither its client nor a lock', async () => {
    using window = new NativeWindow(native, [agentHostname])
    window.pty.write('PS1=; echo "native $((6 * 7))"\n')
    await window.see('native 42')
    const session = await onlySession()
    await using browser = await TerminalClient.open(alice, { cluster: world.cluster, sid: session?.id ?? '', mode: 'peer' })
    await browser.see('native 42')
    browser.type('echo "browser $((7 * 7))"\n')
    await window.see('browser 49')
    const { name: uuid } = await alice.call(locks.put, {
      params: here(),
      body: { targets: { node: world.agentId }, message: 'maintenance' },
    })
    await window.see('is in force: maintenance')
    expect(await window.exit.promise).toBe(255)
    await browser.closed()
    expect(await native.ssh([agentHostname, 'true'])).toMatchObject({ code: 255, err: expect.stringContaining('maintenance') })
    await alice.call(locks.remove, { params: { ...here(), uuid } })
    expect((await native.ssh([agentHostname, 'true'])).code).toBe(0)
  })

  test('a window that is closed hangs up', async () => {
    const window = new NativeWindow(native, [agentHostname])
    window.pty.write('echo "pid $((1 + 1))"\n')
    await window.see('pid 2')
    const session = await onlySession()
    window[Symbol.dispose]()
    await expect.poll(async () => (await events(session?.id)).map(({ code }) => code)).toContain('T2005I')
  })
})

describe.skipIf(whyNoProgram('ssh'))('limits', () => {
  const role = async (name: string, options: object): Promise<void> => {
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name }, spec: { options } }) },
    })
  }
  const grant = (...roles: string[]) => alice.call(updateUser, { body: { name: 'bob', roles: ['access', ...roles] } })

  test('max_connections and max_sessions count native clients, with a sentence and an event for one too many', async () => {
    await role('one-connection', { max_connections: 1 })
    await grant('one-connection')
    await using bob = await NativeClient.create(world, { user: 'bob' })
    using window = new NativeWindow(bob, [agentHostname])
    window.pty.write('echo "in $((1 + 1))"\n')
    await window.see('in 2')
    expect(await bob.ssh([agentHostname, 'true'])).toMatchObject({
      code: 255,
      err: expect.stringContaining('too many connections: your roles allow 1 at a time'),
    })
    window.pty.write('exit\n')
    await window.exit.promise
    await expect.poll(async () => (await bob.ssh([agentHostname, 'true'])).code).toBe(0)
    await grant()
    expect((await events()).filter(({ code }) => code === 'T1006W').map((event) => event['reason'])).toContainEqual(
      expect.stringContaining('too many connections'),
    )
  })

  test('a certificate that runs out ends what it opened, where a role asks for it', async () => {
    await role('strict-certificates', { disconnect_expired_cert: true })
    await grant('strict-certificates')
    await using bob = await NativeClient.create(world, { user: 'bob', ttlSeconds: 15 })
    using window = new NativeWindow(bob, [agentHostname])
    await window.see('your certificate has expired')
    expect(await window.exit.promise).toBe(255)
    await expect
      .poll(async () => (await events()).filter(({ code }) => code === 'T3006I'))
      .toContainEqual(expect.objectContaining({ user: 'bob', reason: 'the client certificate expired' }))
    await grant()
  })

  test('a session that asks for a key is refused with what to do, unless a key has just confirmed the certificate', async () => {
    const allow = { logins: [ownLogin], node_labels: { '*': '*' } }
    const spec = { allow, options: { require_session_mfa: true } }
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'with-key' }, spec }) },
    })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['with-key'] } })
    await using plain = await NativeClient.create(world, { user: 'bob' })
    expect(await plain.ssh([agentHostname, 'true'])).toMatchObject({
      code: 255,
      err: expect.stringContaining(`has to confirm this session; use "sallyport ssh --headless ${ownLogin}@${agentHostname}"`),
    })
    await using confirmed = await NativeClient.create(world, { user: 'bob', extensions: { [confirmedExtension]: '' } })
    expect((await confirmed.ssh([agentHostname, 'true'])).code).toBe(0)
    await alice.call(updateUser, { body: { name: 'bob', roles: ['access'] } })
  })

  test('GHSA-xm63-rjwf-r3g8: where others have to be present, only a terminal opens, and waits for them', async () => {
    const policy = { name: 'watch', filter: 'contains(user.spec.roles, "auditor")', kinds: ['ssh'], modes: ['moderator'], count: 1 }
    const spec = { allow: { logins: [ownLogin], node_labels: { '*': '*' }, require_session_join: [policy] } }
    await alice.call(createRole, {
      body: { content: JSON.stringify({ kind: 'role', version: 'v6', metadata: { name: 'watched' }, spec }) },
    })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['watched'] } })
    await using bob = await NativeClient.create(world, { user: 'bob' })
    for (const args of [
      [agentHostname, 'echo ran'],
      ['-s', agentHostname, 'sftp'],
      ['-W', '127.0.0.1:22', agentHostname],
    ])
      expect(await bob.ssh(args), args.join(' ')).toMatchObject({
        code: 255,
        out: Buffer.alloc(0),
        err: expect.stringMatching(/terminal|present|moderat/i),
      })
    using window = new NativeWindow(bob, [agentHostname])
    await window.see('Sallyport >')
    expect(await onlySession()).toMatchObject({ owner: 'bob', moderated: true })
    await alice.call(updateUser, { body: { name: 'bob', roles: ['access'] } })
  })
})

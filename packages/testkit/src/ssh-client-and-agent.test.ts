import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { startAgent } from '@sallyport/agent/main.ts'
import type { Agent } from '@sallyport/agent/main.ts'
import { openHostKeys } from '@sallyport/agent/identity.ts'
import { openAuthorities } from '@sallyport/proxy/core/authorities/authorities.ts'
import type { Authorities } from '@sallyport/proxy/core/authorities/authorities.ts'
import { createTunnels, inProcessRoute } from '@sallyport/proxy/core/tunnel/tunnel.ts'
import { connectSsh } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { SshConnection } from '@sallyport/proxy/kinds/ssh/client.ts'
import type { ShellChannel } from '@sallyport/proxy/kinds/ssh/channel.ts'
import { dialSsh } from '@sallyport/proxy/kinds/ssh/dial.ts'
import type { SshDialOptions } from '@sallyport/proxy/kinds/ssh/dial.ts'
import { bareHome } from './bare-home.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** The proxy's SSH client and the agent in one process, as on the first machine of a cluster. */
const clock = { now: () => Date.now() }
const login = userInfo().username
const tunnels = createTunnels()
const log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: (fields: object) => expect.unreachable(JSON.stringify(fields)),
}
const terminal = { term: 'xterm-256color', cols: 80, rows: 24 }
let directory = ''
let authorities: Authorities
let agent: Agent

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-node-'))
  authorities = await openAuthorities(join(directory, 'keys'), clock)
  const { hostId, privateKey } = await openHostKeys(join(directory, 'node'))
  const hostIdentity = () => ({ privateKey, certificate: authorities.issueHostCertificate({ publicKey: privateKey, hostId }) })
  agent = startAgent({
    hostId,
    userCa: () => authorities.userCa.trusted,
    hostIdentity,
    clock,
    log,
    environment: { HOME: bareHome },
    onHeartbeat: () => undefined,
  })
  tunnels.register(hostId, inProcessRoute(agent.accept))
})

afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  rmSync(directory, { recursive: true })
})

const dial = (changed: Partial<SshDialOptions> = {}): Promise<SshConnection> =>
  dialSsh({
    dialer: tunnels,
    authorities,
    clock,
    hostId: agent.hostId,
    login,
    keyId: 'alice',
    signal: AbortSignal.timeout(10_000),
    ...changed,
  })

/** Reads until the text has come, and answers all read so far. */
async function readUntil(channel: ShellChannel, wanted: RegExp): Promise<string> {
  let seen = ''
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const onData = (bytes: Buffer): void => {
    seen += bytes.toString()
    if (wanted.test(seen)) resolve(seen)
  }
  channel.on('data', onData).once('close', () => reject(new Error(`the session ended after: ${seen}`)))
  return promise.finally(() => channel.off('data', onData))
}

describe('terminal', () => {
  test('echoes, is resized, and tells the exit code', async () => {
    await using connection = await dial()
    const shell = await connection.shell(terminal)
    shell.write('stty size; echo "$TERM"\n')
    expect(await readUntil(shell, /24 80\r\n/u)).toContain('stty size')
    shell.setWindow(132, 43)
    shell.write('stty size\n')
    await readUntil(shell, /43 132\r\n/u)
    shell.write('exit 9\n')
    shell.resume()
    expect(await shell.exit).toEqual({ code: 9, signal: undefined })
  })

  test('tells the signal that killed the shell, and knows UTF-8', async () => {
    await using connection = await dial()
    const shell = await connection.shell(terminal)
    shell.write('stty -a | grep -o .iutf8; kill -9 $$\n')
    expect(await text(shell)).toContain(' iutf8')
    expect(await shell.exit).toEqual({ code: undefined, signal: 'SIGKILL' })
  })

  test('hands 50 MB to a slow reader, every byte, and holds the writer back', async () => {
    await using connection = await dial()
    const shell = await connection.exec('stty -opost; head -c 50000000 /dev/zero', { pty: terminal })
    const first = await firstPiece(shell)
    // Nobody reads now: what is on the way is bounded by windows, so the writer cannot have finished.
    await settled(() => shell.readableLength)
    expect(shell.readableLength).toBeLessThan(1024 * 1024)
    expect(execFileSync('pgrep', ['-fc', '^head -c 50000000 /dev/zero'], { encoding: 'utf8' })).not.toBe('0\n')
    const rest = await buffer(shell)
    expect(first.length + rest.length).toBe(50_000_000)
    expect(await shell.exit).toEqual({ code: 0, signal: undefined })
  })

  test('keeps the end of the output for a reader that comes after the process is gone', async () => {
    await using connection = await dial()
    const shell = await connection.exec('stty -opost; head -c 6000000 /dev/zero; echo the end', { pty: terminal })
    await settled(() => shell.readableLength)
    const output = await buffer(shell)
    expect(output.length).toBe(6_000_000 + 'the end\n'.length)
    expect(output.subarray(-8).toString()).toBe('the end\n')
  })

  test('interrupts and hangs up', async () => {
    await using connection = await dial()
    const shell = await connection.shell(terminal)
    // The command tells by itself that it has the terminal: what comes earlier interrupts nobody.
    shell.write("sh -c 'echo started; exec sleep 1000'\n")
    await readUntil(shell, /^started\r\n/mu)
    shell.write('\u0003')
    shell.write('echo pid=$$\n')
    const pid = /pid=(\d+)\r\n/u.exec(await readUntil(shell, /pid=\d+\r\n/u))?.[1] ?? ''
    shell.destroy()
    await expect.poll(() => spawnSync('kill', ['-0', pid]).status).not.toBe(0)
  })
})

function firstPiece(channel: ShellChannel): Promise<Buffer> {
  return new Promise((resolve) => {
    channel.once('data', (bytes: Buffer) => {
      channel.pause()
      resolve(bytes)
    })
  })
}

/** Waits until a number has stopped changing. */
async function settled(read: () => number): Promise<void> {
  let last = -1
  const isSettled = (): boolean => {
    const previous = last
    last = read()
    return last > 0 && last === previous
  }
  await expect.poll(isSettled, { interval: 300 }).toBe(true)
}

test('a command runs without a terminal, with input, output and errors apart', async () => {
  await using connection = await dial()
  const command = await connection.exec('cat; echo oops >&2; exit 3')
  command.end('hello')
  expect(await Promise.all([text(command), text(command.stderr), command.exit])).toEqual([
    'hello',
    'oops\n',
    { code: 3, signal: undefined },
  ])
  const stuck = await connection.exec('sleep 1000')
  stuck.signal('TERM')
  stuck.resume()
  expect(await stuck.exit).toEqual({ code: undefined, signal: 'SIGTERM' })
})

test('output and errors stay in order when a reader that stalls fills the window of both', async () => {
  await using connection = await dial()
  const parts = ['1', '2', '3'].map((digit) => `head -c 6000000 /dev/zero | tr '\\0' ${digit}`)
  const command = await connection.exec(parts.map((part) => `${part}; ${part} >&2`).join('; '))
  const expected = ['1', '2', '3'].map((digit) => digit.repeat(6_000_000)).join('')
  await settled(() => command.readableLength)
  const output = text(command)
  await settled(() => command.stderr.readableLength)
  const errors = text(command.stderr)
  expect((await output) === expected).toBe(true)
  expect((await errors) === expected).toBe(true)
  expect(await command.exit).toEqual({ code: 0, signal: undefined })
})

test('refusals say what is wrong', async () => {
  await expect(dial({ login: 'no-such-login' })).rejects.toMatchObject({
    code: 'login-refused',
    message: expect.stringContaining('"no-such-login"'),
  })
  await expect(dial({ hostId: 'unknown' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(dial({ signal: AbortSignal.abort() })).rejects.toThrow()
  const other = { ...authorities, hostCa: { ...authorities.hostCa, trusted: [generateKeyPairSync('ed25519').publicKey] } }
  await expect(dial({ authorities: other })).rejects.toMatchObject({ code: 'host-refused' })
  await expect(dial({ clock: { now: () => Date.now() + 100 * 24 * 3600_000 } })).rejects.toMatchObject({
    code: 'host-refused',
    message: expect.stringContaining('expired'),
  })
})

test('a certificate does not help without its key', async () => {
  const { certificate } = authorities.issueUserCertificate({ keyId: 'thief', principals: [login], ttlSeconds: 60 })
  const identity = { certificate, privateKey: generateKeyPairSync('ed25519').privateKey }
  const stream = await tunnels.dial({ hostId: agent.hostId }, new AbortController().signal)
  const verifyHost = { trustedCas: authorities.hostCa.trusted, names: [agent.hostId] }
  await expect(connectSsh({ stream, user: login, identity, verifyHost, clock })).rejects.toMatchObject({ code: 'login-refused' })
  expect(stream.destroyed).toBe(true)
})

test('a stream that breaks, or stays silent, is told apart', async () => {
  const identity = authorities.issueUserCertificate({ keyId: 'alice', principals: [login], ttlSeconds: 60 })
  const verifyHost = { trustedCas: authorities.hostCa.trusted, names: [agent.hostId] }
  const silent = createTunnels()
  silent.register(
    'silent',
    inProcessRoute(() => undefined),
  )
  silent.register(
    'closing',
    inProcessRoute((stream) => stream.destroy()),
  )
  const connect = async (hostId: string, patience: { readyTimeout?: number } = {}) =>
    connectSsh({
      stream: await silent.dial({ hostId }, new AbortController().signal),
      user: login,
      identity,
      verifyHost,
      clock,
      ...patience,
    })
  await expect(connect('silent', { readyTimeout: 50 })).rejects.toMatchObject({ code: 'timed-out' })
  await expect(connect('closing')).rejects.toMatchObject({ code: expect.stringMatching(/connection-lost|unreachable/u) })
})

test('when the host goes away, the session and the connection end', async () => {
  let far: Duplex | undefined
  const breaking = createTunnels()
  breaking.register(
    agent.hostId,
    inProcessRoute((stream) => {
      far = stream
      agent.accept(stream)
    }),
  )
  const connection = await dial({ dialer: breaking })
  const shell = await connection.shell(terminal)
  shell.resume()
  far?.destroy()
  await connection.closed
  expect(await shell.exit).toEqual({ code: undefined, signal: undefined })
  await expect(connection.shell(terminal)).rejects.toMatchObject({ name: 'SshError' })
})

test('an idle terminal holds no process after the connection is closed', async () => {
  const connection = await dial()
  const shell = await connection.shell(terminal)
  shell.write('echo pid=$$\n')
  const pid = /pid=(\d+)\r\n/u.exec(await readUntil(shell, /pid=\d+\r\n/u))?.[1] ?? ''
  expect(execFileSync('kill', ['-0', pid]).length).toBe(0)
  await connection.close()
  expect(await connection.closed).toBeUndefined()
  await expect.poll(() => spawnSync('kill', ['-0', pid]).status).not.toBe(0)
})

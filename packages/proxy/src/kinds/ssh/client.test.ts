import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { formatCertificate, issueCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { CertificateSpec } from '@sallyport/protocols/ssh/certificate.ts'
import { formatPublicKey, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTunnels, tcpRoute } from '../../core/tunnel/tunnel.ts'
import { connectSsh } from './client.ts'
import type { SshConnection } from './client.ts'

/** Our client against OpenSSH's server. */
const sshd = '/usr/sbin/sshd'
const login = userInfo().username
const newKey = (type: 'ed25519' | 'ecdsa' = 'ed25519'): KeyObject =>
  type === 'ed25519' ? generateKeyPairSync('ed25519').privateKey : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
const authorities = { ed25519: newKey(), ecdsa: newKey('ecdsa'), rsa: generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey }
const hostCa = newKey()
const now = Math.floor(Date.now() / 1000)
const validity = { serial: 5n, validAfter: now - 60, validBefore: now + 600 }
const tunnels = createTunnels()
let directory = ''

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Starts an sshd that proves itself as `names` and trusts our user authorities. */
async function startSshd(
  hostId: string,
  names: string[] | undefined,
  keyType: 'ed25519' | 'ecdsa',
  more: string[] = [],
): Promise<ChildProcess> {
  const path = (file: string): string => join(directory, `${hostId}.${file}`)
  execFileSync('ssh-keygen', ['-q', '-t', keyType, '-N', '', '-f', path('key')])
  const settings = [
    'UsePAM no',
    'StrictModes no',
    'PidFile none',
    'PermitRootLogin prohibit-password',
    'AuthenticationMethods publickey',
    `TrustedUserCAKeys ${path('ca')}`,
    `HostKey ${path('key')}`,
    ...more,
  ]
  if (names) {
    const subject = parsePublicKey(readFileSync(path('key.pub'), 'utf8'))
    writeFileSync(
      path('key-cert.pub'),
      formatCertificate(issueCertificate(subject, hostCa, { ...validity, kind: 'host', keyId: hostId, principals: names })),
    )
    settings.push(`HostCertificate ${path('key-cert.pub')}`)
  }
  const port = await freePort()
  writeFileSync(
    path('ca'),
    Object.values(authorities)
      .map((key) => formatPublicKey(key))
      .join('\n'),
  )
  writeFileSync(path('config'), [...settings, `ListenAddress 127.0.0.1:${port}`].join('\n'))
  const child = spawn(sshd, ['-D', '-e', '-f', path('config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', (bytes: Buffer) => {
      said += bytes.toString()
      if (said.includes('Server listening')) resolve()
    })
    child.once('exit', () => reject(new Error(said)))
  })
  tunnels.register(hostId, tcpRoute({ host: '127.0.0.1', port }))
  return child
}

interface Attempt {
  hostId?: string
  key?: KeyObject
  ca?: KeyObject
  spec?: Partial<CertificateSpec>
  names?: string[]
}

async function connect({
  hostId = 'plain',
  key = newKey(),
  ca = authorities.ed25519,
  spec = {},
  names = ['plain.example'],
}: Attempt = {}): Promise<SshConnection> {
  const certificate = issueCertificate(key, ca, {
    ...validity,
    kind: 'user',
    keyId: 'alice 1',
    principals: [login],
    extensions: { 'permit-pty': '' },
    ...spec,
  })
  const stream = await tunnels.dial({ hostId }, AbortSignal.timeout(5000))
  return connectSsh({
    stream,
    user: login,
    identity: { privateKey: key, certificate },
    verifyHost: { trustedCas: [hostCa], names },
    clock: { now: () => Date.now() },
  })
}

const servers: ChildProcess[] = []

describe.skipIf(!existsSync(sshd))(`OpenSSH server${existsSync(sshd) ? '' : ' (skipped: openssh-server is not installed)'}`, () => {
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'sallyport-sshd-'))
    if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true })
    servers.push(
      await startSshd('plain', ['plain.example'], 'ed25519', ['RekeyLimit 4M', 'AcceptEnv LANG LC_*']),
      await startSshd('ecdsa', ['ecdsa.example', 'second.example'], 'ecdsa'),
      await startSshd('bare', undefined, 'ed25519'),
    )
  })

  afterAll(() => {
    for (const server of servers) server.kill()
    rmSync(directory, { recursive: true })
  })

  test.each([
    ['ed25519', 'ed25519'],
    ['ecdsa', 'ed25519'],
    ['ed25519', 'ecdsa'],
    ['ecdsa', 'rsa'],
  ] as const)('an %s key certified by an %s authority gets in', async (key, ca) => {
    await using connection = await connect({ key: newKey(key), ca: authorities[ca] })
    const command = await connection.exec('echo "$LC_NOTE"; exit 3', { env: { LC_NOTE: 'yes' } })
    expect(await text(command)).toBe('yes\n')
    expect(await command.exit).toEqual({ code: 3, signal: undefined })
  })

  test.each<[string, Attempt]>([
    ['another login', { spec: { principals: ['somebody-else'] } }],
    ['an expired certificate', { spec: { validBefore: now - 1 } }],
    ['a certificate that is not valid yet', { spec: { validAfter: now + 600 } }],
    ['another authority', { ca: newKey() }],
    ['a host certificate', { spec: { kind: 'host' } }],
    ['another source address', { spec: { criticalOptions: { 'source-address': '10.0.0.0/8' } } }],
    ['an unknown critical option', { spec: { criticalOptions: { 'no-such@option': '' } } }],
  ])('%s is refused, in words for the user', async (_name, attempt) => {
    await expect(connect(attempt)).rejects.toMatchObject({
      name: 'SshError',
      code: 'login-refused',
      message: expect.stringContaining(`"${login}"`),
    })
  })

  test('its host certificate has to name the host, and may be of either kind of key', async () => {
    await using connection = await connect({ hostId: 'ecdsa', names: ['second.example', 'other.example'] })
    expect(await (await connection.exec('true')).resume().exit).toEqual({ code: 0, signal: undefined })
    await expect(connect({ hostId: 'ecdsa', names: ['other.example'] })).rejects.toMatchObject({
      code: 'host-refused',
      message: expect.stringContaining('other.example'),
    })
  })

  test('a server without a host certificate is refused', async () => {
    await expect(connect({ hostId: 'bare' })).rejects.toMatchObject({
      code: 'host-refused',
      message: expect.stringContaining('no host certificate'),
    })
  })

  test('a ping is answered while a shell runs, and has no answer once the connection is gone', async () => {
    const connection = await connect()
    const shell = await connection.shell({ term: 'xterm', cols: 80, rows: 25 })
    shell.resume()
    expect(await Promise.all([connection.ping(), connection.ping()])).toEqual([expect.any(Number), expect.any(Number)])
    const last = connection.ping()
    await connection.close()
    expect(await connection.ping()).toBeUndefined()
    await last
  })

  test('a terminal is resized and tells its exit code', async () => {
    await using connection = await connect()
    const shell = await connection.exec('stty size; read x; stty size; exit 9', { pty: { term: 'xterm-256color', cols: 80, rows: 24 } })
    await new Promise((resolve) => shell.once('data', resolve))
    shell.setWindow(132, 43)
    shell.write('go\n')
    expect(await text(shell)).toContain('43 132')
    expect(await shell.exit).toEqual({ code: 9, signal: undefined })
  })

  test('a session without a terminal permit is refused one, and the connection lives on', async () => {
    await using connection = await connect({ spec: { extensions: {} } })
    await expect(connection.shell({ term: 'xterm', cols: 80, rows: 24 })).rejects.toMatchObject({ code: 'channel-refused' })
    expect(await text(await connection.exec('echo alive'))).toBe('alive\n')
  })

  test('keys are exchanged anew without losing a byte', async () => {
    await using connection = await connect()
    const command = await connection.exec('head -c 50000000 /dev/zero | tr "\\0" x')
    const output = await buffer(command)
    expect(output.length).toBe(50_000_000)
    expect(output.every((byte) => byte === 0x78)).toBe(true)
  })

  test('errors of a command stay apart, and a signal is told', async () => {
    await using connection = await connect()
    const command = await connection.exec('echo out; echo err >&2; kill -9 $$')
    expect(await Promise.all([text(command), text(command.stderr), command.exit])).toEqual([
      'out\n',
      'err\n',
      { code: undefined, signal: 'SIGKILL' },
    ])
  })
})

test('nobody listens: the problem is named with its address', async () => {
  const port = await freePort()
  tunnels.register('gone', tcpRoute({ host: '127.0.0.1', port }))
  await expect(connect({ hostId: 'gone' })).rejects.toMatchObject({
    code: 'connection_problem',
    message: expect.stringContaining(`127.0.0.1:${port}`),
  })
})

test('a server that is no SSH server is told apart', async () => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  tunnels.register('web', tcpRoute({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }))
  await expect(connect({ hostId: 'web' })).rejects.toMatchObject({ name: 'SshError', code: 'connection-lost' })
  server.close()
})

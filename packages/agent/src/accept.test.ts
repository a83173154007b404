import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { formatCertificate, issueCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { CertificateSpec } from '@sallyport/protocols/ssh/certificate.ts'
import { formatPublicKey, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { AgentLog } from './log.ts'
import { startAgent } from './main.ts'
import type { Agent } from './main.ts'

/** OpenSSH's own client against the agent, over a real socket. */
const hasSsh = spawnSync('ssh', ['-V']).error === undefined
const login = userInfo().username
const newKey = (): KeyObject => generateKeyPairSync('ed25519').privateKey
const userCa = newKey()
const hostCa = newKey()
const hostKey = newKey()
const now = Math.floor(Date.now() / 1000)
const userSpec: CertificateSpec = {
  kind: 'user',
  serial: 1n,
  keyId: 'alice',
  principals: [login],
  validAfter: now - 60,
  validBefore: now + 3600,
  extensions: { 'permit-pty': '' },
}
const refusals: string[] = []
const log: AgentLog = {
  debug: () => undefined,
  info: () => undefined,
  error: (fields) => expect.unreachable(JSON.stringify(fields)),
  warn: (fields) => {
    if ('reason' in fields) refusals.push(String(fields.reason))
  },
}

let directory = ''
let agent: Agent
let port = 0
let hostName = 'node.example'
const server = createServer({ noDelay: true }, (socket) => agent.accept(socket, socket.remoteAddress))

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sallyport-agent-'))
  agent = startAgent({
    environment: { HOME: directory },
    hostId: randomUUID(),
    userCa: () => [userCa],
    hostIdentity: () => ({
      privateKey: hostKey,
      certificate: issueCertificate(hostKey, hostCa, {
        kind: 'host',
        serial: 1n,
        keyId: 'node',
        principals: [hostName],
        validAfter: now - 60,
        validBefore: now + 3600,
      }),
    }),
    clock: { now: () => Date.now() },
    log,
    onHeartbeat: () => undefined,
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
  for (const type of ['ed25519', 'ecdsa']) execFileSync('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', join(directory, type)])
  writeFileSync(join(directory, 'known_hosts'), `@cert-authority * ${formatPublicKey(hostCa)}\n`)
})

afterAll(async () => {
  await agent[Symbol.asyncDispose]()
  server.close()
  rmSync(directory, { recursive: true })
})

interface Credentials {
  type?: 'ed25519' | 'ecdsa'
  ca?: KeyObject
  spec?: Partial<CertificateSpec>
  certificate?: boolean
}

function arguments_({ type = 'ed25519', ca = userCa, spec = {}, certificate = true }: Credentials, options: string[] = []): string[] {
  const file = join(directory, `${randomUUID()}-cert.pub`)
  const subject = parsePublicKey(readFileSync(join(directory, `${type}.pub`), 'utf8'))
  writeFileSync(file, formatCertificate(issueCertificate(subject, ca, { ...userSpec, ...spec })))
  const values = [
    'IdentitiesOnly=yes',
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${join(directory, 'known_hosts')}`,
    'HostKeyAlias=node.example',
    'LogLevel=ERROR',
    ...(certificate ? [`CertificateFile=${file}`] : []),
  ]
  return [
    '-F',
    '/dev/null',
    ...values.flatMap((value) => ['-o', value]),
    '-i',
    join(directory, type),
    '-p',
    String(port),
    ...options,
    `${login}@127.0.0.1`,
  ]
}

async function ssh(
  credentials: Credentials,
  command: string[],
  options: string[] = [],
  input?: Buffer,
): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn('ssh', [...arguments_(credentials, options), ...command])
  child.stdin.end(input)
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ])
  return { code, out, err }
}

test('bytes that are no SSH end the stream and nothing else, and silence does not last', async () => {
  const hostile = [
    Buffer.from('GET / HTTP/1.1\r\n\r\n'),
    Buffer.alloc(100_000, 0xff),
    Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.alloc(70_000, 0x41)]),
    Buffer.concat([Buffer.from('SSH-2.0-x\r\n'), Buffer.from([0, 0, 0, 12, 4, 20, 0, 0])]),
  ]
  await Promise.all(
    hostile.map(async (bytes) => {
      const [near, far] = duplexPair()
      agent.accept(far)
      near.resume().end(bytes)
      await once(far, 'close')
    }),
  )
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const [, silent] = duplexPair()
  agent.accept(silent)
  vi.advanceTimersByTime(19_000)
  expect(silent.destroyed).toBe(false)
  vi.advanceTimersByTime(2_000)
  expect(silent.destroyed).toBe(true)
})

describe.skipIf(!hasSsh)(`OpenSSH client${hasSsh ? '' : ' (skipped: ssh is not installed)'}`, () => {
  test.each(['ed25519', 'ecdsa'] as const)('logs in with a certificate over an %s key', async (type) => {
    expect(await ssh({ type }, ['echo out; echo err >&2; exit 5'])).toEqual({ code: 5, out: 'out\n', err: 'err\n' })
  })

  test.each<[string, Credentials, RegExp]>([
    ['without a certificate', { certificate: false }, /plain key/u],
    ['of another authority', { ca: newKey() }, /not a trusted authority/u],
    ['for another login', { spec: { principals: ['somebody-else'] } }, /good for somebody-else/u],
    ['that expired', { spec: { validBefore: now - 1 } }, /expired/u],
    ['that is not valid yet', { spec: { validAfter: now + 600 } }, /not valid yet/u],
    ['with an unknown critical option', { spec: { criticalOptions: { 'verify-required': '' } } }, /verify-required/u],
    ['from another address', { spec: { criticalOptions: { 'source-address': '10.0.0.0/8' } } }, /may not be used from 127\.0\.0\.1/u],
  ])('is refused with a key or certificate %s', async (_name, credentials, reason) => {
    refusals.length = 0
    const { code, err } = await ssh(credentials, ['true'])
    expect(code).toBe(255)
    expect(err).toContain('Permission denied (publickey)')
    expect(refusals.join()).toMatch(reason)
  })

  test('obeys source-address and force-command', async () => {
    const criticalOptions = { 'source-address': '127.0.0.0/8', 'force-command': 'echo forced: $SSH_ORIGINAL_COMMAND' }
    expect(await ssh({ spec: { criticalOptions } }, ['id'])).toMatchObject({ code: 0, out: 'forced: id\n' })
  })

  test('refuses a host whose certificate names another host', async () => {
    hostName = 'other.example'
    try {
      expect(await ssh({}, ['true'])).toMatchObject({ code: 255 })
    } finally {
      hostName = 'node.example'
    }
    expect(await ssh({}, ['true'])).toMatchObject({ code: 0 })
  })

  test('gets a terminal with the login shell, its size and its exit code', async () => {
    const script = Buffer.from('stty size; echo "term=$TERM zero=$0"; exit 9\n')
    const { code, out } = await ssh({}, [], ['-tt'], script)
    expect(code).toBe(9)
    expect(out).toMatch(/\d+ \d+\r\n/u)
    expect(out).toContain(`zero=-${userInfo().shell?.split('/').at(-1)}`)
  })

  test('gets no terminal when the certificate does not permit one', async () => {
    expect(await ssh({ spec: { extensions: {} } }, ['tty'], ['-tt'])).toMatchObject({
      err: expect.stringContaining('PTY allocation request failed'),
    })
    expect(await ssh({}, ['tty'], ['-tt'])).toMatchObject({ code: 0, out: expect.stringContaining('/dev/') })
  })

  test('sets language variables and no others', async () => {
    const child = spawn('ssh', arguments_({}, ['-o', 'SetEnv=LC_TEST=yes LD_PRELOAD=evil.so BASH_ENV=/tmp/evil']).concat('env'), {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const environment = await text(child.stdout)
    expect(environment).toContain('LC_TEST=yes')
    expect(environment).not.toMatch(/LD_PRELOAD|BASH_ENV/u)
    expect(environment).toContain(`LOGNAME=${login}`)
  })

  test('learns of a signal that killed the command', async () => {
    expect(await ssh({}, ['kill -9 $$'])).toMatchObject({ code: 255 })
    expect(await ssh({}, ['kill -0 $$'])).toMatchObject({ code: 0 })
  })

  test('passes 50 MB both ways without losing a byte', async () => {
    const input = Buffer.alloc(50_000_000, 'sallyport ')
    expect(await ssh({}, ['wc -c'], [], input)).toMatchObject({ code: 0, out: '50000000\n' })
    expect((await ssh({}, ['head -c 50000000 /dev/zero'])).out.length).toBe(50_000_000)
  })

  test('exchanges keys anew on the way, the host proving itself each time', async () => {
    expect((await ssh({}, ['head -c 50000000 /dev/zero'], ['-o', 'RekeyLimit=4M'])).out.length).toBe(50_000_000)
  })

  test('keeps output and errors in order when both fill the window', async () => {
    const script = 'for i in 1 2 3 4 5 6; do head -c 3000000 /dev/zero | tr "\\0" $i; head -c 3000000 /dev/zero | tr "\\0" $i >&2; done'
    const { out, err } = await ssh({}, [script])
    const expected = [...'123456'].map((digit) => digit.repeat(3_000_000)).join('')
    expect(out === expected).toBe(true)
    expect(err === expected).toBe(true)
  })

  test('forwards no ports and no agent, and has no subsystem but SFTP', async () => {
    expect(await ssh({}, [], ['-W', '127.0.0.1:22'])).toMatchObject({ code: 255, err: expect.stringContaining('forwarding failed') })
    expect(await ssh({}, ['netconf'], ['-s'])).toMatchObject({ code: 255, err: expect.stringContaining('subsystem request failed') })
    expect(await ssh({}, ['echo "[$SSH_AUTH_SOCK]"'], ['-A'])).toMatchObject({ out: '[]\n' })
  })

  test('takes its processes along when it goes away', async () => {
    const child = spawn('ssh', arguments_({}).concat('echo $$; exec sleep 1000'), { stdio: ['pipe', 'pipe', 'inherit'] })
    const pid = await new Promise<number>((resolve) => child.stdout.once('data', (bytes: Buffer) => resolve(Number(bytes.toString()))))
    expect(process.kill(pid, 0)).toBe(true)
    child.kill('SIGKILL')
    await expect.poll(() => spawnSync('kill', ['-0', String(pid)]).status).not.toBe(0)
  })

  test('leaves running what a command put into the background without its input and output, and nothing else', async () => {
    const commands = [
      'sleep 1001 > /dev/null 2>&1 < /dev/null 3<&-',
      'sleep 1002 2> /dev/null < /dev/null 3<&-',
      'sleep 1003 > /dev/null 2>&1 < /dev/null',
    ]
    const script = `exec 3<&0; ${commands.map((command) => `${command} & echo $!;`).join(' ')} echo $$; wait`
    const child = spawn('ssh', arguments_({}).concat(script), { stdio: ['pipe', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.on('data', (bytes: Buffer) => (said += bytes.toString()))
    await expect.poll(() => said.match(/^\d+\n/gm)).toHaveLength(4)
    const isAlive = (pid: string): boolean => spawnSync('kill', ['-0', pid]).status === 0
    const [free = '', ...bound] = said.trim().split('\n')
    expect([free, ...bound].map(isAlive)).toEqual([true, true, true, true])
    child.kill('SIGKILL')
    await expect.poll(() => bound.map(isAlive)).toEqual([false, false, false])
    expect(isAlive(free)).toBe(true)
    process.kill(Number(free))
  })

  test('in a session it cannot reach the terminals of others', async () => {
    const other = spawn('ssh', arguments_({}, ['-tt']).concat('echo ready; sleep 1000'), { stdio: ['pipe', 'pipe', 'ignore'] })
    await new Promise((resolve) => other.stdout.once('data', resolve))
    for (const options of [[], ['-tt']]) {
      const { out } = await ssh({}, ['ls -l /proc/self/fd'], options)
      expect(out).toContain('fd')
      expect(out).not.toContain('ptmx')
    }
    other.kill('SIGKILL')
  })
})

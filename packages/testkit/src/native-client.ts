/** A person's own machine: key, certificate and configuration of OpenSSH for a world, and its programs run with them. */
import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { ownLogin } from './people.ts'
import type { Program } from './targets/programs.ts'
import { requireProgram } from './targets/programs.ts'
import type { World } from './world.ts'

export interface Ran {
  code: number | null
  out: Buffer
  err: string
}

export interface NativeClientOptions {
  user?: string
  /** Makes the certificate in place of the cluster's own for that user. */
  certify?: (publicKey: KeyObject) => Certificate
  extensions?: Record<string, string>
  ttlSeconds?: number
  /** More lines for every host. */
  lines?: readonly string[]
  /** Of the programs, besides our own. */
  env?: Record<string, string>
}

export class NativeClient implements AsyncDisposable {
  readonly folder: string
  readonly config: string

  readonly env: Record<string, string | undefined>

  constructor(folder: string, env: Record<string, string> = {}) {
    this.folder = folder
    this.env = { ...process.env, HOME: folder, ...env }
    this.config = join(folder, 'config')
  }

  static async create(
    { proxy, cluster }: Pick<World, 'proxy' | 'cluster'>,
    { user = 'alice', certify, extensions = { 'permit-pty': '' }, ttlSeconds = 3600, lines = [], env }: NativeClientOptions = {},
  ): Promise<NativeClient> {
    const folder = await mkdtemp(join(tmpdir(), 'sallyport-client-'))
    const client = new NativeClient(folder, env)
    const { authorities, address } = proxy
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const certificate =
      certify?.(publicKey) ?? authorities.issuePersonCertificate({ publicKey, keyId: user, principals: [ownLogin], ttlSeconds, extensions })
    const file = (name: string): string => join(folder, name)
    await writeFile(file('key'), privateKey.export({ format: 'pem', type: 'sec1' }), { mode: 0o600 })
    await writeFile(file('key.pub'), `${formatPublicKey(publicKey)}\n`)
    await writeFile(file('key-cert.pub'), `${formatCertificate(certificate)}\n`)
    await writeFile(file('known_hosts'), `@cert-authority * ${authorities.hostCa.publicLine}\n`)
    await writeFile(
      client.config,
      [
        `Host ${cluster}-proxy`,
        `  HostName ${address.host}`,
        `  Port ${address.port}`,
        `  HostKeyAlias ${cluster}`,
        'Host * !*-proxy',
        `  ProxyJump ${cluster}-proxy`,
        `  User ${ownLogin}`,
        'Host *',
        `  IdentityFile ${file('key')}`,
        `  CertificateFile ${file('key-cert.pub')}`,
        '  IdentitiesOnly yes',
        `  UserKnownHostsFile ${file('known_hosts')}`,
        '  GlobalKnownHostsFile none',
        '  StrictHostKeyChecking yes',
        '  BatchMode yes',
        ...lines.map((line) => `  ${line}`),
        '',
      ].join('\n'),
    )
    return client
  }

  /** A program of OpenSSH with this configuration. */
  start(program: Program, args: readonly string[]): ChildProcess {
    return spawn(requireProgram(program), ['-F', this.config, ...args], { stdio: 'pipe', env: this.env })
  }

  /** A socket of this machine that leads to `target` (`host:port`) through `via`, for as long as the program runs that it resolves with. */
  async forward(socket: string, target: string, via: string): Promise<ChildProcess> {
    // It is told when the socket listens, and not only when it is there.
    const options = ['-o', 'ExitOnForwardFailure=yes', '-o', 'PermitLocalCommand=yes', '-o', 'LocalCommand=echo listening']
    const child = this.start('ssh', ['-N', ...options, '-L', `${socket}:${target}`, via])
    if (!child.stdout || !child.stderr) throw new Error('the process has no pipes')
    let complaint = ''
    child.stderr.on('data', (bytes: Buffer) => (complaint += bytes.toString()))
    const ended = once(child, 'close').then(() => Promise.reject(new Error(`ssh ended before it forwarded: ${complaint}`)))
    await Promise.race([once(child.stdout, 'data'), ended])
    ended.catch(() => undefined) // from now on it may
    return child
  }

  async run(program: Program, args: readonly string[], input: string | Buffer = ''): Promise<Ran> {
    return finished(this.start(program, args), input)
  }

  /** Another program, which starts OpenSSH's own. */
  plain(program: Program, args: readonly string[]): Promise<Ran> {
    return finished(spawn(requireProgram(program), args, { stdio: 'pipe', env: this.env }))
  }

  ssh(args: readonly string[], input: string | Buffer = ''): Promise<Ran> {
    return this.run('ssh', args, input)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true })
  }
}

/** What a process says until it ends. */
export async function finished(child: ChildProcess, input: string | Buffer = ''): Promise<Ran> {
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('the process has no pipes')
  stdin.on('error', () => undefined) // it may end without reading
  stdin.end(input)
  const closed = once(child, 'close')
  const [out, err] = await Promise.all([buffer(stdout), buffer(stderr)])
  const [code] = (await closed) as [number | null]
  return { code, out, err: err.toString() }
}

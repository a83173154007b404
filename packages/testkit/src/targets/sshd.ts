/** A real OpenSSH server on a loopback port that trusts one user authority. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { bareHome } from '../bare-home.ts'
import { requireProgram } from './programs.ts'

export interface SshdOptions {
  /** Line of the authority whose certificates let users in. */
  userCa: string
  /** Turns the line of the server's public key into the line of its certificate. Absent: it has none. */
  certify?: (publicKey: string) => string
  /** Of the server's key; ed25519 by default. */
  keyType?: 'ed25519' | 'ecdsa' | 'rsa'
  /** A free one by default. */
  port?: number
  /** What serves SFTP; `false` for a server that has none. */
  sftp?: string | false
  /** Forwards displays, by default. */
  x11?: boolean
}

export interface Sshd extends AsyncDisposable {
  readonly host: string
  readonly port: number
  /** Line of its public key. */
  readonly publicKey: string
  /** What the server wrote so far, for messages of failed tests. */
  log(): string
}

/** Throws when OpenSSH's server is not installed: ask whyNoProgram('sshd') first. */
export async function startSshd({
  userCa,
  certify,
  keyType = 'ed25519',
  port: wanted,
  sftp = 'internal-sftp',
  x11 = true,
}: SshdOptions): Promise<Sshd> {
  const program = requireProgram('sshd')
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-sshd-'))
  const file = (name: string): string => join(folder, name)
  const made = spawnSync(requireProgram('ssh-keygen'), ['-q', '-t', keyType, '-N', '', '-f', file('host')], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.stderr}`)
  const publicKey = (await readFile(file('host.pub'), 'utf8')).trim()
  if (certify) await writeFile(file('host-cert.pub'), `${certify(publicKey)}\n`)
  await writeFile(file('user-ca.pub'), `${userCa}\n`)
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 }) // demanded by a server that runs as root

  const port = wanted ?? (await freePort())
  await writeFile(
    file('config'),
    [
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${file('host')}`,
      ...(certify ? [`HostCertificate ${file('host-cert.pub')}`] : []),
      `TrustedUserCAKeys ${file('user-ca.pub')}`,
      'AuthorizedKeysFile none',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'UsePAM no',
      'PidFile none',
      'PrintMotd no',
      'AcceptEnv LANG LC_* COLORTERM',
      'MaxStartups 1000',
      'MaxSessions 1000',
      'LogLevel VERBOSE',
      `X11Forwarding ${x11 ? 'yes' : 'no'}`,
      `SetEnv HOME=${bareHome} XAUTHORITY=${file('xauthority')}`,
      ...(sftp === false ? [] : [`Subsystem sftp ${sftp}`]),
    ].join('\n'),
  )
  const server = spawn(program, ['-D', '-e', '-f', file('config')], { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-50_000)
      if (log.includes('Server listening')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`sshd ended at its start: ${log}`)))
  })
  return {
    host: '127.0.0.1',
    port,
    publicKey,
    log: () => log,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** An OpenSSH server as somebody runs it who knows nothing of the cluster; for what changes its configuration. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bareHome } from '../bare-home.ts'
import { freePort } from './free-port.ts'
import { requireProgram } from './programs.ts'

export interface OwnSshd extends AsyncDisposable {
  readonly port: number
  readonly folder: string
  /** Path of its configuration. */
  readonly config: string
  readonly publicKey: string
  /** Tells the script of the proxy that this server is meant, and not the system's. */
  readonly options: readonly string[]
  append(lines: string): Promise<void>
}

/** Throws when OpenSSH's server is not installed: ask whyNoProgram('sshd') first. */
export async function startOwnSshd({ keyType }: { keyType: 'ed25519' | 'ecdsa' | 'rsa' }): Promise<OwnSshd> {
  const program = requireProgram('sshd')
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-own-sshd-'))
  const file = (name: string): string => join(folder, name)
  const made = spawnSync(requireProgram('ssh-keygen'), ['-q', '-t', keyType, '-N', '', '-f', file('host')], { encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`ssh-keygen failed: ${made.stderr}`)
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 }) // demanded by a server that runs as root
  const port = await freePort()
  await writeFile(
    file('sshd_config'),
    [
      '# Written by hand.',
      `ListenAddress 127.0.0.1:${port}`,
      `HostKey ${file('host')}`,
      'UsePAM no',
      `PidFile ${file('pid')}`,
      'LogLevel VERBOSE',
      `SetEnv HOME=${bareHome}`,
      '',
    ].join('\n'),
  )
  const server = spawn(program, ['-D', '-e', '-f', file('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] })
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
    port,
    folder,
    config: file('sshd_config'),
    publicKey: (await readFile(file('host.pub'), 'utf8')).trim(),
    // It writes its process id when it listens again.
    options: [
      '--config',
      file('sshd_config'),
      '--reload',
      `rm -f ${file('pid')}; kill -HUP ${server.pid}; until [ -s ${file('pid')} ]; do sleep 0.02; done`,
    ],
    append: (lines) => appendFile(file('sshd_config'), lines),
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

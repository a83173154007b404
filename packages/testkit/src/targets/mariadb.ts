/** A MariaDB of one's own: fresh data in a temporary directory, reachable through a socket in it, and over TLS only on a port of loopback. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from '../native-client.ts'
import { freePort } from './free-port.ts'
import type { ServerCertificate } from './postgres.ts'
import { requireProgram } from './programs.ts'

export interface Mariadb extends AsyncDisposable {
  /** On 127.0.0.1. */
  readonly port: number
  /** Runs statements as the administrator; what they give, with tabs between. */
  run(statements: string): Promise<string>
}

/** It refuses to run as root. */
const nobody = 'nobody'
/** Nothing has to outlive a crash. */
const inMemory = [
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-doublewrite=0',
  '--innodb-log-file-size=8M',
  '--innodb-buffer-pool-size=32M',
]

/** Takes some seconds. Throws when MariaDB is not installed: ask whyNoProgram('mariadbd') first. */
export async function startMariadb({ certificate, key, ca }: ServerCertificate): Promise<Mariadb> {
  const owner = process.getuid?.() === 0 ? [`--user=${nobody}`] : []
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-maria-'))
  const own = async (path: string): Promise<void> => {
    if (owner.length > 0) await chown(path, idOf('-u'), idOf('-g'))
  }
  await own(folder)
  const data = join(folder, 'data')
  const installation = [
    '--no-defaults',
    `--datadir=${data}`,
    ...owner,
    ...inMemory,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]
  const made = spawnSync(requireProgram('mariadb-install-db'), installation, { cwd: folder, encoding: 'utf8' })
  if (made.status !== 0) throw new Error(`mariadb-install-db failed: ${made.stdout}${made.stderr}`)

  const port = await freePort()
  const socket = join(folder, 'socket')
  const files = { cert: certificate, key, ca }
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, name), content, { mode: 0o600 })
    await own(join(folder, name))
  }
  const settings = [
    ...[`--datadir=${data}`, `--socket=${socket}`, `--pid-file=${join(folder, 'pid')}`, `--port=${port}`, '--bind-address=127.0.0.1'],
    ...Object.keys(files).map((name) => `--ssl-${name}=${join(folder, name)}`),
    ...['--require-secure-transport=ON', '--skip-name-resolve', '--skip-log-bin', '--max-connections=200'],
  ]
  const server = spawn(requireProgram('mariadbd'), ['--no-defaults', ...owner, ...inMemory, ...settings], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000)
      if (log.includes('ready for connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`mariadbd ended at its start: ${log}`)))
  })
  return {
    port,
    async run(statements) {
      const program = spawn(requireProgram('mariadb'), [
        '--no-defaults',
        `--socket=${socket}`,
        '--user=root',
        '--batch',
        '--skip-column-names',
      ])
      const { code, out, err } = await finished(program, statements)
      if (code !== 0) throw new Error(`a statement failed: ${err}`)
      return out.toString()
    },
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      server.kill('SIGKILL') // nothing of it is needed any more
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

const idOf = (flag: string): number => Number(spawnSync('id', [flag, nobody], { encoding: 'utf8' }).stdout)

/** A PostgreSQL of one's own: a fresh cluster in a temporary directory, reachable through a socket in it only. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { requireProgram } from './programs.ts'

export interface Postgres extends AsyncDisposable {
  /** Of the database `postgres`, as the superuser; there is no password. */
  readonly url: string
  /** An empty database of its own, for one test file. */
  createDatabase(): Promise<string>
}

export interface PostgresOptions {
  /** Whether a commit waits for the disk, as in production. Tests do not need it, measurements do. */
  durable?: boolean
}

/** Takes about two seconds. Throws when PostgreSQL is not installed: ask whyNoProgram('initdb') first. */
export async function startPostgres({ durable = false }: PostgresOptions = {}): Promise<Postgres> {
  const initdb = requireProgram('initdb')
  const owner = ownerOf()
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-pg-'))
  if (owner.uid !== undefined && owner.gid !== undefined) await chown(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const made = spawnSync(initdb, ['-D', data, '-U', 'sallyport', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'], {
    ...owner,
    cwd: folder,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)

  const settings = {
    listen_addresses: '',
    unix_socket_directories: folder,
    max_connections: '200',
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  }
  const server = spawn(
    join(dirname(initdb), 'postgres'),
    ['-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...owner,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  let log = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr.on('data', (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-10_000)
      if (log.includes('ready to accept connections')) resolve()
    })
    server.once('exit', () => reject(new Error(`postgres ended at its start: ${log}`)))
  })

  const urlOf = (database: string): string => `postgres://sallyport@localhost/${database}?host=${encodeURIComponent(folder)}`
  let databases = 0
  return {
    url: urlOf('postgres'),
    async createDatabase() {
      const name = `test_${++databases}`
      const client = new pg.Client({ connectionString: urlOf('postgres') })
      await client.connect()
      try {
        await client.query(`create database ${name}`)
      } finally {
        await client.end()
      }
      return urlOf(name)
    },
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      server.kill('SIGINT') // fast shutdown: open connections are closed
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root; its package brings a user for it. */
function ownerOf(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

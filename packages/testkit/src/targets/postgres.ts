/** A PostgreSQL of one's own: a fresh cluster in a temporary directory, reachable through a socket in it, and over TLS where that is asked for. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { freePort } from './free-port.ts'
import { requireProgram } from './programs.ts'

export interface Postgres extends AsyncDisposable {
  /** Of the database `postgres`, as the superuser; there is no password. */
  readonly url: string
  /** An empty database of its own, for one test file. */
  createDatabase(): Promise<string>
  /** Its data folder, with the files that set it up, and who they belong to. */
  readonly data: string
  readonly owner: Owner
  /** Port on 127.0.0.1; 0 where it listens on none. */
  readonly port: number
  /** Runs statements as the superuser, in the database `postgres`. */
  run(statements: string): Promise<void>
}

/** Who the server is, and whose certificates let in: as the user that they name. All in PEM. */
export interface ServerCertificate {
  certificate: string
  key: string
  ca: string
}

export interface PostgresOptions {
  /** Whether a commit waits for the disk, as in production. Tests do not need it, measurements do. */
  durable?: boolean
  tls?: ServerCertificate
  /** On 127.0.0.1, as the files of its data folder say: at first without TLS. */
  listens?: boolean
}

/** Takes about two seconds. Throws when PostgreSQL is not installed: ask whyNoProgram('initdb') first. */
export async function startPostgres({ durable = false, tls, listens = false }: PostgresOptions = {}): Promise<Postgres> {
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

  const port = tls || listens ? await freePort() : 0
  const settings = {
    ...(tls
      ? await tlsSettings(tls, port, folder, owner)
      : listens
        ? { listen_addresses: '127.0.0.1', port: String(port) }
        : { listen_addresses: '' }),
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

  const urlOf = (database: string): string =>
    `postgres://sallyport@localhost${port > 0 ? `:${port}` : ''}/${database}?host=${encodeURIComponent(folder)}`
  const run = async (statements: string): Promise<void> => {
    const client = new pg.Client({ connectionString: urlOf('postgres') })
    await client.connect()
    try {
      await client.query(statements)
    } finally {
      await client.end()
    }
  }
  let databases = 0
  return {
    url: urlOf('postgres'),
    async createDatabase() {
      const name = `test_${++databases}`
      await run(`create database ${name}`)
      return urlOf(name)
    },
    data,
    owner,
    port,
    run,
    async [Symbol.asyncDispose]() {
      const ended = once(server, 'exit')
      server.kill('SIGINT') // fast shutdown: open connections are closed
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Over the network: TLS with a client certificate, and nothing else. */
async function tlsSettings({ certificate, key, ca }: ServerCertificate, port: number, folder: string, owner: Owner) {
  const files = {
    'server.crt': certificate,
    'server.key': key,
    'server.cas': ca,
    'hba.conf': 'local all all trust\nhostssl all all all cert\n',
  }
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name)
    await writeFile(file, content, { mode: 0o600 })
    if (owner.uid !== undefined && owner.gid !== undefined) await chown(file, owner.uid, owner.gid)
  }
  return {
    listen_addresses: '127.0.0.1',
    port: String(port),
    ssl: 'on',
    ssl_cert_file: join(folder, 'server.crt'),
    ssl_key_file: join(folder, 'server.key'),
    ssl_ca_file: join(folder, 'server.cas'),
    hba_file: join(folder, 'hba.conf'),
  }
}

interface Owner {
  uid?: number
  gid?: number
}

/** PostgreSQL refuses to run as root; its package brings a user for it. */
function ownerOf(): Owner {
  if (process.getuid?.() !== 0) return {}
  const id = (flag: string): number => Number(spawnSync('id', [flag, 'postgres'], { encoding: 'utf8' }).stdout)
  return { uid: id('-u'), gid: id('-g') }
}

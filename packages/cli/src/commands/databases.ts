/** Databases from the command line: certificates for their servers, and their own clients through the proxy. */
import { access, constants, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { databaseListSubsystem, nativeDatabases, nativeDatabaseSuffix } from '@sallyport/wire/native-ssh.ts'
import type { NativeDatabase } from '@sallyport/wire/native-ssh.ts'
import { ask } from '../admin-client.ts'
import { CommandError } from '../command-error.ts'
import { dataDirOf } from '../data-dir.ts'
import { freePort, printTable, readList, run, withSsh } from './ssh.ts'
import type { LentSsh, Where } from './ssh.ts'

export interface SignOptions {
  host: string
  out: string
  ttl?: string
  dataDir?: string
}

export async function signDatabase({ host, out, ttl, ...options }: SignOptions): Promise<void> {
  const made = await ask(dataDirOf(options), adminCalls.signDatabase, { hosts: host, ...(ttl !== undefined && { ttl }) })
  const files = { [`${out}.key`]: made.key, [`${out}.crt`]: made.certificate, [`${out}.cas`]: made.authority }
  for (const [file, content] of Object.entries(files)) await writeFile(file, content, { mode: file.endsWith('.key') ? 0o600 : 0o644 })
  console.log(`Written: ${Object.keys(files).join(', ')}. For PostgreSQL, in postgresql.conf:`)
  console.log(`  ssl = on\n  ssl_cert_file = '${out}.crt'\n  ssl_key_file = '${out}.key'\n  ssl_ca_file = '${out}.cas'`)
  console.log('In pg_hba.conf, before other lines for connections over the network:')
  console.log('  hostssl all all all cert')
  console.log('For MySQL and MariaDB, below [mysqld] in my.cnf:')
  console.log(`  ssl_cert = ${out}.crt\n  ssl_key = ${out}.key\n  ssl_ca = ${out}.cas`)
  console.log('And for each account that is used:')
  console.log("  CREATE USER 'reader'@'%' REQUIRE SUBJECT '/CN=reader';")
}

export async function listDatabases({ format, cluster }: { format: string; cluster?: string }): Promise<void> {
  const databases = await readDatabases(cluster)
  if (format === 'json') return console.log(JSON.stringify(databases, undefined, 2))
  const rows = databases.map(({ name, title, users, names }) => [name, title, users.join(','), names.join(',')])
  printTable([['Database', 'Type', 'Users', 'Names'], ...rows])
}

const readDatabases = (cluster: string | undefined): Promise<NativeDatabase[]> =>
  readList(nativeDatabases, databaseListSubsystem, { cluster, list: 'databases' })

interface DatabaseOptions extends Where {
  dbUser?: string
  dbName?: string
}

const ownHost = '127.0.0.1'

interface DatabaseProgram {
  /** That a server of it listens on; the proxy tells by it what a client speaks that asks for a database that is not there. */
  port: number
  /** Name of the socket in a folder that only this user can reach. */
  socket: string
  /** Runs the client; its status. */
  connect(folder: string, user: string, name: string | undefined): Promise<number>
  /** What somebody types to reach a port of this machine. */
  example(port: number, user: string, name: string): string
}

const programs: Readonly<Record<string, DatabaseProgram>> = {
  postgres: {
    port: 5432,
    socket: '.s.PGSQL.5432',
    connect(folder, user, name) {
      if (name === undefined) throw new CommandError('Say which of its names to open: --db-name orders')
      return run('psql', [`host=${quoted(folder)} port=5432 user=${quoted(user)} dbname=${quoted(name)} sslmode=disable`])
    },
    example: (port, user, name) => `psql "host=${ownHost} port=${port} user=${user} dbname=${name} sslmode=disable"`,
  },
  mysql: {
    port: 3306,
    socket: 'mysql.sock',
    async connect(folder, user, name) {
      const login = [`--socket=${join(folder, 'mysql.sock')}`, '--protocol=SOCKET', `--user=${user}`]
      return run(await mysqlProgram(), [...login, ...(name === undefined ? [] : [`--database=${name}`])])
    },
    example: (port, user, name) => `mariadb --host=${ownHost} --port=${port} --user=${user} --skip-ssl ${name}`,
  },
}

/** MariaDB's own, else MySQL's. */
async function mysqlProgram(): Promise<string> {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    if (
      await access(join(folder, 'mariadb'), constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return 'mariadb'
  return 'mysql'
}

/** Of a database that one may see. */
async function programOf(name: string, cluster: string | undefined): Promise<DatabaseProgram> {
  const found = (await readDatabases(cluster)).find((database) => database.name === name)
  if (!found) throw new CommandError(`There is no database "${name}" for you. "sallyport db ls" shows those that there are.`)
  const program = programs[found.protocol]
  if (!program) throw new CommandError(`${name} is only listed: it is ${found.title}, which is not opened here.`)
  return program
}

const forwarding = ({ config, fullName }: LentSsh, from: string, name: string, { port }: DatabaseProgram): string[] => [
  ...['-F', config, '-N', '-o', 'ExitOnForwardFailure=yes'],
  ...['-L', `${from}:${fullName(name + nativeDatabaseSuffix)}:${port}`],
]

/** Until it is interrupted. */
export async function proxyDatabase(name: string, { dbUser, dbName, port, ...where }: DatabaseOptions & { port?: number }): Promise<void> {
  const program = await programOf(name, where.cluster)
  const listening = port ?? (await freePort())
  await withSsh(where, async (ssh) => {
    console.log(
      `Clients of ${name} connect to ${ownHost}:${listening}, without a password and without TLS: what leaves this machine is encrypted.`,
    )
    console.log(`  ${program.example(listening, dbUser ?? 'USER', dbName ?? 'NAME')}`)
    console.log('Ctrl-C ends it.')
    process.on('SIGINT', () => undefined)
    process.exitCode = await run('ssh', [...forwarding(ssh, `${ownHost}:${listening}`, name, program), ssh.proxy])
  })
}

/** The database's own client, over a socket that only this user can reach; ends with its status. */
export async function connectDatabase(name: string, { dbUser = '', dbName, ...where }: DatabaseOptions): Promise<void> {
  const program = await programOf(name, where.cluster)
  await withSsh(where, async (ssh) => {
    const { folder, config, proxy } = ssh
    const control = join(folder, 'ssh')
    const socket = join(folder, program.socket)
    // It goes to the background when the socket is there.
    const code = await run('ssh', ['-f', '-M', '-S', control, ...forwarding(ssh, socket, name, program), proxy])
    if (code !== 0) throw new CommandError('The proxy could not be reached over SSH. "sallyport config" shows where it is looked for.')
    try {
      process.on('SIGINT', () => undefined)
      process.exitCode = await program.connect(folder, dbUser, dbName)
    } finally {
      await run('ssh', ['-q', '-F', config, '-S', control, '-O', 'exit', proxy])
    }
  })
}

/** As connection strings want values. */
const quoted = (value: string): string => `'${value.replaceAll(/[\\']/g, String.raw`\$&`)}'`

/** Databases from the command line: certificates for their servers, and their own clients through the proxy. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { adminCalls } from '@sallyport/wire/admin.ts'
import { nativeDatabaseSuffix } from '@sallyport/wire/native-ssh.ts'
import { ask } from '../admin-client.ts'
import { CommandError } from '../command-error.ts'
import { dataDirOf } from '../data-dir.ts'
import { proxyAlias } from '../ssh-config.ts'
import { freePort, run, withSsh } from './ssh.ts'

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
  console.log(`Written: ${Object.keys(files).join(', ')}. In postgresql.conf:`)
  console.log(`  ssl = on\n  ssl_cert_file = '${out}.crt'\n  ssl_key_file = '${out}.key'\n  ssl_ca_file = '${out}.cas'`)
  console.log('In pg_hba.conf, before other lines for connections over the network:')
  console.log('  hostssl all all all cert')
}

interface DatabaseOptions {
  dbUser?: string
  dbName?: string
  headless?: boolean
}

const ownHost = '127.0.0.1'
/** Of PostgreSQL; the proxy does not look at it. */
const anyPort = 5432
const forwarding = (config: string, from: string, name: string): string[] => [
  ...['-F', config, '-N', '-o', 'ExitOnForwardFailure=yes'],
  ...['-L', `${from}:${name}${nativeDatabaseSuffix}:${anyPort}`],
]

/** Until it is interrupted. */
export async function proxyDatabase(
  name: string,
  { dbUser, dbName, port, headless = false }: DatabaseOptions & { port?: number },
): Promise<void> {
  const listening = port ?? (await freePort())
  await withSsh(headless, async ({ config, cluster }) => {
    console.log(
      `Clients of ${name} connect to ${ownHost}:${listening}, without a password and without TLS: what leaves this machine is encrypted.`,
    )
    console.log(`  psql "host=${ownHost} port=${listening} user=${dbUser ?? 'USER'} dbname=${dbName ?? 'NAME'} sslmode=disable"`)
    console.log('Ctrl-C ends it.')
    process.on('SIGINT', () => undefined)
    process.exitCode = await run('ssh', [...forwarding(config, `${ownHost}:${listening}`, name), proxyAlias(cluster)])
  })
}

/** psql over a socket that only this user can reach; ends with its status. */
export async function connectDatabase(name: string, { dbUser = '', dbName = '', headless = false }: DatabaseOptions): Promise<void> {
  await withSsh(headless, async ({ folder, config, cluster }) => {
    const control = join(folder, 'ssh')
    const socket = join(folder, `.s.PGSQL.${anyPort}`)
    // It goes to the background when the socket is there.
    const code = await run('ssh', ['-f', '-M', '-S', control, ...forwarding(config, socket, name), proxyAlias(cluster)])
    if (code !== 0) throw new CommandError('The proxy could not be reached over SSH. "sallyport config" shows where it is looked for.')
    try {
      process.on('SIGINT', () => undefined)
      process.exitCode = await run('psql', [
        `host=${quoted(folder)} port=${anyPort} user=${quoted(dbUser)} dbname=${quoted(dbName)} sslmode=disable`,
      ])
    } finally {
      await run('ssh', ['-q', '-F', config, '-S', control, '-O', 'exit', proxyAlias(cluster)])
    }
  })
}

/** As connection strings want values. */
const quoted = (value: string): string => `'${value.replaceAll(/[\\']/g, String.raw`\$&`)}'`

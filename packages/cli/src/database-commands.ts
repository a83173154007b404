/** The commands about databases. */
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { ofCluster } from './ssh-commands.ts'

interface DatabaseCommand {
  dbUser?: string
  dbName?: string
  headless?: boolean
  cluster?: string
}

const portOf = (value: string): number => {
  if (!/^[1-9]\d{0,4}$/.test(value) || Number(value) > 65_535) throw new InvalidArgumentError('Give a port from 1 to 65535.')
  return Number(value)
}

/** `proxy`: the command that those for other programs stand below. */
export function addDatabaseCommands({ sallyport, proxy, dataDir }: { sallyport: Command; proxy: Command; dataDir: () => Option }): void {
  proxy
    .command('db')
    .argument('<name>', 'the database')
    .option('--db-user <user>', 'whom to be in the database')
    .option('--db-name <name>', 'which of its names to open')
    .option('--port <port>', 'where to listen on this machine (default: any free port)', portOf)
    .option('--headless', 'a key in your browser confirms the connections of the next minute')
    .addOption(ofCluster())
    .description('listen on this machine for clients of a database, such as psql, mariadb or a desktop program')
    .action(async (name: string, options: DatabaseCommand & { port?: number }) => {
      const { proxyDatabase } = await import('./commands/databases.ts')
      await proxyDatabase(name, options)
    })
  const db = sallyport.command('db').description('databases')
  db.command('ls')
    .description('databases that one may open, and as whom')
    .option('--format <format>', 'text or json', 'text')
    .addOption(ofCluster())
    .action(async (options: { format: string; cluster?: string }) => {
      const { listDatabases } = await import('./commands/databases.ts')
      await listDatabases(options)
    })
  db.command('connect')
    .argument('<name>', 'the database')
    .requiredOption('--db-user <user>', 'whom to be in the database')
    .option('--db-name <name>', 'which of its names to open (MySQL and MariaDB can do without)')
    .option('--headless', 'a key in your browser confirms this one session')
    .addOption(ofCluster())
    .description('run psql, mariadb or mysql on a database')
    .action(async (name: string, options: DatabaseCommand) => {
      const { connectDatabase } = await import('./commands/databases.ts')
      await connectDatabase(name, options)
    })

  sallyport
    .command('auth')
    .description('authorities of the cluster')
    .command('sign')
    .addOption(new Option('--format <format>', 'what the certificate is for').choices(['db']).makeOptionMandatory())
    .requiredOption('--host <a,b>', 'names and addresses under which the server is reached')
    .option('--out <prefix>', 'beginning of the names of the files', 'server')
    .option('--ttl <time>', 'how long it is good for, such as 2190h')
    .addOption(dataDir())
    .description('make key and certificate for the server of a database, and write the authority that it has to trust')
    .action(async (options: { host: string; out: string; ttl?: string; dataDir?: string }) => {
      const { signDatabase } = await import('./commands/databases.ts')
      await signDatabase(options)
    })
}

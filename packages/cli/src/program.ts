/** The command line. What a command does is imported when it is called for: starting must not pay for the rest. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { addDatabaseCommands } from './database-commands.ts'
import { addDeviceCommands } from './device-commands.ts'
import { addRequestCommands } from './request-commands.ts'
import { addSshCommands, ofCluster } from './ssh-commands.ts'

const listOf = (value: string): string[] => {
  const names = value.split(',').map((name) => name.trim())
  if (names.includes('')) throw new InvalidArgumentError('Give names with commas between them, such as a,b.')
  return names
}

const labelsOf = (value: string): Record<string, string> =>
  Object.fromEntries(
    listOf(value).map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1) throw new InvalidArgumentError('Give labels such as env=prod,team=web.')
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )

const units = { s: 1, m: 60, h: 3600, d: 86_400 } as const
const secondsOf = (value: string): number => {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(value) ?? []
  if (!count || !unit || Number(count) === 0) throw new InvalidArgumentError('Give a time such as 30m, 2h or 7d.')
  return Number(count) * units[unit as keyof typeof units]
}

const countOf = (value: string): number => {
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new InvalidArgumentError('Give a whole number from 1 to 9999.')
  return Number(value)
}

interface LoginFlags {
  proxy?: string
  user?: string
  ttl?: number
  headless?: boolean
  connector?: string
  requestId?: string[]
}

const dataDir = (): Option => new Option('--data-dir <dir>', 'where the proxy keeps its state (or SALLYPORT_DATA_DIR)')

export function program(): Command {
  const sallyport = new Command('sallyport')
    .description('Web console and cluster proxy for secure infrastructure access')
    .enablePositionalOptions()
    .showHelpAfterError()

  sallyport
    .command('start')
    .description('start the cluster proxy, with this machine as its first server')
    .option('--config <file>', 'settings in YAML (or SALLYPORT_CONFIG; default sallyport.yaml in the data directory)')
    .option('--listen <host:port>', 'where to listen (or SALLYPORT_LISTEN; default localhost:3080)')
    .addOption(dataDir())
    .option('--ssh-listen <host:port>', 'where SSH clients are answered besides the port of the console')
    .option('--ssh-public-addr <host:port>', 'where SSH clients reach the proxy, when that is not the public address')
    .option('--public-addr <host:port>', 'where browsers reach the proxy, when that is not where it listens')
    .option('--tls-cert <file>', 'certificate chain, PEM')
    .option('--tls-key <file>', 'private key of the certificate, PEM')
    .option('--cluster-name <name>', 'name of the cluster (default sallyport)')
    .option('--database-url <url>', 'PostgreSQL instead of the embedded store')
    .option('--recordings-uri <s3://bucket/prefix>', 'bucket for finished recordings (docs/recordings.md)')
    .option('--recordings-retention-days <days>', 'remove recordings that are older')
    .option('--reconnect-time <time>', 'how long a terminal waits for a browser whose connection broke (default 2m)')
    .option('--retire-after <time>', 'how long the process of before serves its sessions after a restart (default 24h)')
    .option('--assist-address <url>', 'model behind the assistant: what /chat/completions is put behind (docs/assistant.md)')
    .option('--assist-model <name>', 'which model there')
    .option('--assist-key-file <file>', 'file with the key for it (or SALLYPORT_ASSIST_KEY)')
    .option('--assist-summaries <yes|no>', 'whether output of commands goes to the model for a summary (default yes)')
    .option('--slack-api <url>', 'where plugins reach Slack, when that is not https://slack.com/api')
    .option('--scrollback-lines <count>', 'lines that a terminal keeps')
    .option('--log-level <level>', 'debug, info, warn, error or silent')
    .option('--console-dir <dir>', 'the built console')
    .option('--download-centre <yes|no>', 'whether the console has a download centre (default no)')
    .option('--license-file <file>', 'a licence that is handed out there')
    .option('--agent-dir <dir>', 'the built agent, which machines that join are given')
    .optionsGroup('Settings of the cluster; given here, they cannot be changed in the console:')
    .option('--second-factor <mode>', 'off, otp, webauthn, on or optional (default on)')
    .option('--local-auth <yes|no>', 'sign-in with passwords and passkeys of this cluster')
    .option('--allow-passwordless <yes|no>', 'sign-in with a passkey alone')
    .option('--allow-headless <yes|no>', 'approval of command lines in the browser')
    .option('--auth-type <type>', 'what the sign-in screen opens with: local, oidc, saml or github')
    .option('--connector-name <name>', 'which connector of that type')
    .option('--require-session-mfa <yes|no>', 'ask for a key with every session')
    .option('--locking-mode <mode>', 'best_effort or strict')
    .option('--recovery-codes <yes|no>', 'codes for people who have lost their devices')
    .option('--session-ttl <time>', 'longest sign-in (default 12h)')
    .option('--motd <text>', 'message of the day, before the sign-in form')
    .option('--web-idle-timeout <time>', 'sign an idle console out after this (default 0, never)')
    .option('--client-idle-timeout <time>', 'end an idle terminal after this (default 0, never)')
    .option('--client-idle-timeout-message <text>', 'said when an idle terminal ends')
    .option('--keep-alive-interval <time>', 'between two looks at a connection (default 5m)')
    .option('--session-recording <mode>', 'node, node-sync, proxy, proxy-sync or off (default node)')
    .action(async (flags: Record<string, unknown>) => {
      const { start } = await import('./commands/start.ts')
      await start(flags)
    })

  const users = sallyport.command('users').description('invite people, change what they may do, reset their sign-in')
  users
    .command('ls')
    .addOption(dataDir())
    .description('list users with their roles')
    .action(async (options: { dataDir?: string }) => {
      const { listUsers } = await import('./commands/users.ts')
      await listUsers(options)
    })
  users
    .command('update')
    .argument('<name>')
    .option('--set-roles <a,b>', 'roles of the user from now on', listOf)
    .option('--set-logins <x,y>', 'logins on servers from now on', listOf)
    .addOption(dataDir())
    .description('change roles or logins of a user')
    .action(async (name: string, options: { setRoles?: string[]; setLogins?: string[]; dataDir?: string }) => {
      const { updateUser } = await import('./commands/users.ts')
      await updateUser(name, options)
    })
  users
    .command('rm')
    .argument('<name>')
    .addOption(dataDir())
    .description('remove a user and end their sessions')
    .action(async (name: string, options: { dataDir?: string }) => {
      const { removeResource } = await import('./commands/resources.ts')
      await removeResource(`user/${name}`, options)
    })
  users
    .command('add')
    .argument('<name>')
    .requiredOption('--roles <a,b>', 'roles of the user', listOf)
    .option('--logins <x,y>', 'logins on servers', listOf, [])
    .addOption(dataDir())
    .description('create a user and print an invite link')
    .action(async (name: string, options: { roles: string[]; logins: string[]; dataDir?: string }) => {
      const { addUser } = await import('./commands/users.ts')
      await addUser(name, options)
    })
  users
    .command('reset')
    .argument('<name>')
    .addOption(dataDir())
    .description('remove password and devices of a user and print a reset link')
    .action(async (name: string, options: { dataDir?: string }) => {
      const { resetUser } = await import('./commands/users.ts')
      await resetUser(name, options)
    })

  sallyport
    .command('get')
    .argument('<kind[/name]>', 'such as role, user/ann, or all')
    .option('--with-secrets', 'with passwords, devices and keys: for a backup that lets everybody in again')
    .addOption(dataDir())
    .description('print resources as YAML documents')
    .action(async (what: string, options: { withSecrets?: boolean; dataDir?: string }) => {
      const { getResources } = await import('./commands/resources.ts')
      await getResources(what, options)
    })
  sallyport
    .command('create')
    .requiredOption('-f, --filename <file>', 'YAML documents, - for the input')
    .option('--force', 'replace what exists already')
    .addOption(dataDir())
    .description('create resources from YAML documents')
    .action(async (options: { filename: string; force?: boolean; dataDir?: string }) => {
      const { createResources } = await import('./commands/resources.ts')
      await createResources(options)
    })
  sallyport
    .command('rm')
    .argument('<kind/name>', 'such as role/temporary')
    .addOption(dataDir())
    .description('remove a resource')
    .action(async (what: string, options: { dataDir?: string }) => {
      const { removeResource } = await import('./commands/resources.ts')
      await removeResource(what, options)
    })

  addRequestCommands(sallyport, { dataDir, listOf })

  const tokens = sallyport.command('tokens').description('let servers join')
  tokens
    .command('add')
    .requiredOption('--roles <a,b>', 'what may join with it, such as node', listOf)
    .option('--ttl <time>', 'how long it is good for', secondsOf, 3600)
    .option('--labels <a=b,c=d>', 'labels of everything that joins with it', labelsOf)
    .option('--once', 'for the first agent only')
    .addOption(dataDir())
    .description('create a join token and print it')
    .action(async (options: { roles: string[]; ttl: number; labels?: Record<string, string>; once?: boolean; dataDir?: string }) => {
      const { addToken } = await import('./commands/tokens.ts')
      await addToken(options)
    })
  tokens
    .command('ls')
    .addOption(dataDir())
    .description('list join tokens; of secret ones the end of their name')
    .action(async (options: { dataDir?: string }) => {
      const { listTokens } = await import('./commands/tokens.ts')
      await listTokens(options)
    })
  tokens
    .command('rm')
    .argument('<name>', 'the token, or its masked name as ls prints it')
    .addOption(dataDir())
    .description('remove a join token')
    .action(async (name: string, options: { dataDir?: string }) => {
      const { removeResource } = await import('./commands/resources.ts')
      await removeResource(`token/${name}`, options)
    })

  sallyport
    .command('agent')
    .argument('[arguments...]', 'join or start, and their options; alone it prints them')
    .allowUnknownOption()
    .helpOption(false)
    .description('make this machine a server of a cluster, and serve it')
    .action(async (args: string[]) => {
      const { main } = await import('@sallyport/agent/standalone.ts')
      process.exit(await main(args))
    })

  sallyport
    .command('status')
    .addOption(dataDir())
    .description('show the running proxy')
    .action(async (options: { dataDir?: string }) => {
      const { showStatus } = await import('./commands/status.ts')
      await showStatus(options)
    })

  sallyport
    .command('restart')
    .addOption(dataDir())
    .description('run the code and the settings that are on disk now; sessions go on')
    .action(async (options: { dataDir?: string }) => {
      const { restart } = await import('./commands/restart.ts')
      await restart(options)
    })

  sallyport
    .command('login')
    .argument('[cluster]', 'a leaf of the cluster that commands are about from then on, or the cluster itself')
    .option('--proxy <host:port>', 'where the proxy is reached; can be left out by those who are signed in and name a cluster')
    .option('--user <name>', 'who to sign in (default: your name on this machine)')
    .option('--ttl <time>', 'how long the certificate is good for, as far as your roles allow', secondsOf)
    .option('--connector <name>', "the identity provider to sign in through (default: the cluster's)")
    .option('--headless', 'approve in a browser, on this or another machine, instead of a password')
    .option('--request-id <id,…>', 'approved access requests to assume, until they end or you sign in again', listOf)
    .description('sign in on this machine: keys and certificates go to ~/.sallyport (or SALLYPORT_HOME)')
    .action(async (cluster: string | undefined, options: LoginFlags) => {
      const { login, requireProxy } = await import('./commands/login.ts')
      if (cluster === undefined || options.proxy !== undefined) await login(requireProxy(options))
      if (cluster === undefined) return
      const { chooseCluster } = await import('./commands/clusters.ts')
      await chooseCluster(cluster)
    })
  sallyport
    .command('logout')
    .description('remove the keys of the last sign-in from this machine')
    .action(async () => {
      const { logout } = await import('./commands/login.ts')
      await logout()
    })

  addDeviceCommands(sallyport)

  sallyport
    .command('bot')
    .description('machines that work with the cluster on their own')
    .command('join')
    .argument('<name>')
    .requiredOption('--proxy <host:port>', 'where the proxy is reached')
    .requiredOption('--token-file <file>', 'where its join token stands')
    .option('--ttl <time>', 'how long the certificate is good for (default and longest 1h)', secondsOf)
    .description('get certificates for this bot: they go to ~/.sallyport (or SALLYPORT_HOME), as those of people do')
    .action(async (name: string, options: { proxy: string; tokenFile: string; ttl?: number }) => {
      const { joinAsBot } = await import('./commands/bot.ts')
      await joinAsBot(name, options)
    })

  const recordings = sallyport.command('recordings').description('look after session recordings')
  recordings
    .command('ls')
    .option('--limit <count>', 'how many, the newest first', countOf, 50)
    .addOption(dataDir())
    .description('list finished recordings')
    .action(async (options: { limit: number; dataDir?: string }) => {
      const { listRecordings } = await import('./commands/recordings.ts')
      await listRecordings(options)
    })
  recordings
    .command('verify')
    .argument('[session]', 'one of them (default: all)')
    .addOption(dataDir())
    .description('check that no recording was changed')
    .action(async (sid: string | undefined, options: { dataDir?: string }) => {
      const { verifyRecordings } = await import('./commands/recordings.ts')
      await verifyRecordings(sid, options)
    })
  recordings
    .command('export')
    .argument('<session>')
    .addOption(new Option('--format <format>', 'asciicast v2, or readable lines').choices(['cast', 'text']).default('cast'))
    .option('-o, --output <file>', 'where to (default: the output)')
    .addOption(dataDir())
    .description('take a recording away in another form; that is audited')
    .action(async (sid: string, options: { format: 'cast' | 'text'; output?: string; dataDir?: string }) => {
      const { exportRecording } = await import('./commands/recordings.ts')
      await exportRecording(sid, options)
    })

  addSshCommands(sallyport)

  const kube = sallyport.command('kube').description('reach Kubernetes clusters with kubectl')
  kube
    .command('ls')
    .option('--format <form>', 'text or json')
    .addOption(ofCluster())
    .description('list the clusters that you may reach')
    .action(async (options: { format?: string; cluster?: string }) => {
      const { listClusters } = await import('./commands/kube.ts')
      await listClusters(options)
    })
  kube
    .command('login')
    .argument('<cluster>')
    .option('--kubeconfig <file>', "where to write (default: kubectl's own configuration)")
    .option('--headless', 'a key in your browser confirms each start of kubectl, where roles ask for that')
    .addOption(ofCluster())
    .description('write a context for kubectl and make it the current one')
    .action(async (name: string, options: { kubeconfig?: string; headless?: boolean; cluster?: string }) => {
      const { loginToCluster } = await import('./commands/kube.ts')
      await loginToCluster(name, options)
    })
  kube
    .command('credentials')
    .option('--headless', 'ask for a confirmation in a browser')
    .description('what kubectl itself asks for')
    .action(async (options: { headless?: boolean }) => {
      const { printCredentials } = await import('./commands/kube.ts')
      await printCredentials(options)
    })

  const proxy = sallyport.command('proxy').description('reach what is no server with programs of this machine')
  proxy
    .command('app')
    .argument('<name>', 'a TCP application')
    .option('--port <number>', 'the port of this machine (default: any free one)', countOf)
    .option('--headless', 'a key in your browser confirms this one session')
    .addOption(ofCluster())
    .description('open a port of this machine for a TCP application, until it is stopped')
    .action(async (name: string, options: { port?: number; headless?: boolean; cluster?: string }) => {
      const { proxyApp } = await import('./commands/ssh.ts')
      await proxyApp(name, options)
    })
  addDatabaseCommands({ sallyport, proxy, dataDir })

  const audit = sallyport.command('audit').description('look after the audit log')
  audit
    .command('verify')
    .addOption(dataDir())
    .description('check that no audit event was changed or removed')
    .action(async (options: { dataDir?: string }) => {
      const { verifyAudit } = await import('./commands/audit.ts')
      await verifyAudit(options)
    })

  return sallyport
}

/** `agent join` and `agent start` without the proxy's code: the command line uses it, and a host that has only the agent. */
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentError } from './agent-error.ts'
import { resourceHelp, resourceOptions, settingsOfAsked } from './asked-resources.ts'
import { joinCluster } from './join.ts'
import { startService } from './service.ts'
import { parseSettings } from './settings.ts'
import { createStderrLog, logLevels } from './stderr-log.ts'

const help = `Usage: agent join --proxy URL --token TOKEN [options]
       agent start [--data-dir DIR] [--log-level LEVEL]

join   makes this machine a host of a cluster
  --proxy URL          address of a proxy; again for each further one that the agent is to connect to
  --token TOKEN        join token
  --token-file FILE    file that holds it, so that it shows in no list of processes
  --ca-pin sha256:HEX  public key of a certificate in the proxy's chain, instead of the system's authorities
  --ca-file FILE       authorities (PEM) that count instead of the system's
  --labels a=b,c=d     labels of this host
  --hostname NAME      instead of the system's
  --forward HOST:PORT  a machine without an agent that may be reached through this one; again for more
${resourceHelp}
  --data-dir DIR       where key, certificate and settings are kept (or SALLYPORT_AGENT_DIR)

start  serves this machine to its cluster until it is stopped
  --log-level LEVEL    debug, info (default), warn or error
`

/** After a signal everything has this long to come to an end. */
const drainTime = 4500

/** Runs one command and resolves with the exit code. What went wrong is said on standard error. */
export async function main(argv: readonly string[], env: Readonly<Record<string, string | undefined>> = process.env): Promise<number> {
  const [command, ...rest] = argv
  try {
    if (command === 'join') return await joinWith(rest, env)
    if (command === 'start') return await start(rest, env)
    const isHelp = command === undefined || command === 'help' || command === '--help' || command === '-h'
    if (!isHelp) throw new AgentError(`There is no command "${command}": use join or start.`)
    process.stdout.write(help)
    return 0
  } catch (error) {
    const isUsage = error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS')
    const isExpected = error instanceof AgentError || isUsage
    process.stderr.write(`${error instanceof Error ? (isExpected ? error.message : error.stack) : String(error)}\n`)
    return 1
  }
}

async function joinWith(args: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      proxy: { type: 'string', multiple: true, default: [] },
      token: { type: 'string' },
      'token-file': { type: 'string' },
      'ca-pin': { type: 'string' },
      'ca-file': { type: 'string' },
      labels: { type: 'string', default: '' },
      hostname: { type: 'string' },
      forward: { type: 'string', multiple: true, default: [] },
      ...resourceOptions,
      'data-dir': { type: 'string' },
    },
  })
  if (values.proxy.length === 0) throw new AgentError('Say which cluster to join: --proxy https://console.example.com.')
  const token = values.token ?? (await tokenFrom(values['token-file']))
  const settings = parseSettings(
    {
      proxies: values.proxy.map(originOf),
      ...(values['ca-pin'] === undefined ? {} : { caPin: values['ca-pin'].toLowerCase() }),
      ...(values['ca-file'] === undefined ? {} : { caFile: resolve(values['ca-file']) }),
      ...(values.hostname === undefined ? {} : { hostname: values.hostname }),
      labels: labelsOf(values.labels),
      forward: values.forward,
      ...settingsOfAsked(values),
    },
    'join',
  )
  const dataDir = dataDirOf(values['data-dir'], env)
  const { hostId, cluster } = await joinCluster({ dataDir, token, settings })
  process.stdout.write(
    `This machine is now the host ${hostId} of the cluster "${cluster}". Start its agent with: agent start --data-dir ${dataDir}\n`,
  )
  return 0
}

async function start(args: string[], env: Readonly<Record<string, string | undefined>>): Promise<number> {
  const { values } = parseArgs({ args, options: { 'data-dir': { type: 'string' }, 'log-level': { type: 'string', default: 'info' } } })
  const level = logLevels.find((known) => known === values['log-level'])
  if (!level) throw new AgentError(`--log-level: one of ${logLevels.join(', ')}.`)
  const ended = signalled()
  const service = await startService({ dataDir: dataDirOf(values['data-dir'], env), log: createStderrLog(level), env })
  await ended
  const late = new Promise<void>((resolve) => {
    setTimeout(resolve, drainTime).unref()
  })
  await Promise.race([service[Symbol.asyncDispose](), late])
  return 0
}

async function tokenFrom(file: string | undefined): Promise<string> {
  if (file === undefined) throw new AgentError('Give a join token with --token or --token-file; an administrator makes one.')
  const text = await readFile(file, 'utf8').catch((cause: Error) => {
    throw new AgentError(`The token in ${file} cannot be read: ${cause.message}.`, { cause })
  })
  return text.trim()
}

/** `host:port` is short for HTTPS. */
function originOf(given: string): string {
  const url = URL.parse(/^https?:\/\//u.test(given) ? given : `https://${given}`)
  return url && url.pathname === '/' ? url.origin : given
}

function labelsOf(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at <= 0) throw new AgentError(`--labels: "${pair}" is no label; write name=value, with commas between them.`)
      return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()]
    }),
  )
}

function dataDirOf(given: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const chosen = given ?? (env['SALLYPORT_AGENT_DIR'] || undefined)
  if (chosen !== undefined) return resolve(chosen)
  if (process.getuid?.() === 0) return '/var/lib/sallyport-agent'
  const base = env['XDG_DATA_HOME']
  return join(base && isAbsolute(base) ? base : join(homedir(), '.local', 'share'), 'sallyport-agent')
}

function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
}

if (import.meta.main) {
  const code = await main(process.argv.slice(2))
  // oxlint-disable-next-line unicorn/no-process-exit -- as a program of its own; what still hangs is left behind.
  process.exit(code)
}

/**
 * The proxy's settings: one schema for file, environment and flags. A flag wins over the environment, which wins over the
 * file: `--config`, else `<dataDir>/sallyport.yaml`. Nothing else reads the environment. docs/configuration.md lists them.
 */
import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { clusterSettings, fixedSettings } from './config-cluster.ts'
import { collectSettings, ConfigError } from './config-sources.ts'
import type { SettingSources } from './config-sources.ts'
import { parseDuration } from './core/access/duration.ts'
import { duration, flag } from './core/cluster/written-values.ts'
import type { FixedSettings } from './core/cluster/cluster-settings.ts'
import { readRecordingsUri } from './core/recordings/remote/recordings-uri.ts'
import type { S3Place } from './core/recordings/remote/recordings-uri.ts'

export interface Address {
  host: string
  port: number
}

const listenAddress = z.union([z.string(), z.number()]).transform((value, context): Address => {
  const match = /^(?:(?<host>\[[0-9a-fA-F:.]+\]|[^:[\]]*):)?(?<port>\d{1,5})$/.exec(String(value))
  const port = Number(match?.groups?.['port'])
  if (!match || port > 65_535) {
    context.addIssue({ code: 'custom', message: `must be an address such as localhost:3080, not "${value}"` })
    return z.NEVER
  }
  return { host: (match.groups?.['host'] ?? 'localhost').replace(/^\[|\]$/g, '') || '0.0.0.0', port }
})

const publicAddress = z.string().transform((value, context): string => {
  const url = URL.parse(/^https?:\/\//.test(value) ? value : `https://${value}`)
  if (url && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '') return url.origin
  context.addIssue({
    code: 'custom',
    message: `must be a host name with an optional port, such as console.example.com:443, not "${value}"`,
  })
  return z.NEVER
})

const databaseAddress = z.string().regex(/^postgres(ql)?:\/\//, 'must begin with postgres://')
const recordingsAddress = z.string().transform((value, context): S3Place => {
  const place = readRecordingsUri(value)
  if (typeof place !== 'string') return place
  context.addIssue({ code: 'custom', message: place })
  return z.NEVER
})
const path = z.string().min(1)
/** The key that goes along must not be read on the way. */
const serviceAddress = (example: string) =>
  z.string().transform((value, context): string => {
    const url = URL.parse(value)
    const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
    if (url && isSafe && url.username === '' && url.search === '' && url.hash === '') return value
    context.addIssue({ code: 'custom', message: `must be an address such as ${example}; http only on this machine` })
    return z.NEVER
  })
const longestReconnectTime = 3_600_000
const reconnectTime = duration.refine((text) => (parseDuration(text) ?? 0) <= longestReconnectTime, 'must be an hour at most')

/** Every setting with its default. Keys are the file's; `--second-factor` and `SALLYPORT_SECOND_FACTOR` name the same one. */
export const settings = z.object({
  listen: listenAddress.default({ host: 'localhost', port: 3080 }),
  /** Where SSH clients are answered besides the port of the console, for those in front of which only HTTP passes. */
  sshListen: listenAddress.optional(),
  /** Where SSH clients reach the proxy, when that is not the public address. */
  sshPublicAddr: z
    .string()
    .regex(/^(\[[0-9a-fA-F:.]+\]|[^:/@\s[\]]+)(:\d{1,5})?$/, 'must be a host name with an optional port, such as ssh.example.com:3022')
    .optional(),
  /** All state lies below it. */
  dataDir: path,
  /** Where browsers reach the proxy, when that is not the listen address. */
  publicAddr: publicAddress.optional(),
  tlsCert: path.optional(),
  tlsKey: path.optional(),
  clusterName: z
    .string()
    .regex(/^[a-zA-Z0-9][a-zA-Z0-9.-]{0,62}$/, 'must consist of letters, digits, dots and dashes')
    .default('sallyport'),
  ...clusterSettings,
  /** PostgreSQL instead of the embedded store. */
  databaseUrl: databaseAddress.optional(),
  /** So long a shell waits for its owner whose connection broke. At most an hour: nobody can watch it meanwhile. */
  reconnectTime: reconnectTime.default('2m0s'),
  /** So long, after a restart, the process of before serves the sessions that it has; then they end. */
  retireAfter: duration.default('24h0m0s'),
  /** A bucket for finished recordings. */
  recordingsUri: recordingsAddress.optional(),
  /** Recordings that are older go. */
  recordingsRetentionDays: z.coerce.number().int().min(1).max(36_500).optional(),
  /** The model behind the assistant; without it there is none. */
  assistAddress: serviceAddress('https://models.example.com/v1').optional(),
  assistModel: z.string().min(1).max(255).optional(),
  assistKey: z.string().min(1).max(4096).optional(),
  assistKeyFile: path.optional(),
  /** Whether what commands print may go to the model for a summary. */
  assistSummaries: flag.default(true),
  /** What Slack's methods are put behind, for the plugins that tell people there. Whoever keeps plugins cannot choose it. */
  slackApi: serviceAddress('https://slack.com/api').default('https://slack.com/api'),
  scrollbackLines: z.coerce.number().int().min(100).max(100_000).optional(),
  logLevel: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
  /** Whether the console has a download centre, for those whose roles let them have it. */
  downloadCentre: flag.default(false),
  /** Handed out there to whoever may read the licence. */
  licenseFile: path.optional(),
  /** The built console. */
  consoleDir: path.default(join(import.meta.dirname, '..', '..', 'console', 'dist')),
  /** The built agent, which machines that join are given. */
  agentDir: path.default(join(import.meta.dirname, '..', '..', 'agent', 'dist')),
})

export interface Config extends Readonly<z.output<typeof settings>> {
  /** What of the cluster's settings is given here. */
  readonly fixed: FixedSettings
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host.endsWith('.localhost') || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** Where state lies when nothing says otherwise. */
export function defaultDataDir(env: Readonly<Record<string, string | undefined>>): string {
  const base = env['XDG_DATA_HOME']
  return join(base && isAbsolute(base) ? base : join(homedir(), '.local', 'share'), 'sallyport')
}

/**
 * The settings in force. Throws a ConfigError that lists every problem with its key.
 * `flags` are keyed like the settings; undefined ones count as not given.
 */
export async function loadConfig(sources: SettingSources): Promise<Config> {
  const { values, problems, origin } = await collectSettings(Object.keys(settings.shape), sources, () => defaultDataDir(sources.env))
  const parsed = settings.safeParse(values)
  for (const issue of parsed.error?.issues ?? []) {
    const key = String(issue.path[0])
    const from = origin(key)
    problems.push(`${key}${from === undefined ? '' : ` (${from})`}: ${issue.message}`)
  }
  if (parsed.success) problems.push(...contradictions(parsed.data))
  if (!parsed.success || problems.length > 0) throw new ConfigError(problems)
  return finished(parsed.data, (key) => origin(key) ?? 'the configuration')
}

/** Settings made in code (tests, embedding): the same schema and checks, without file and environment. */
export function configOf(values: z.input<typeof settings>): Config {
  const parsed = settings.safeParse(values)
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`))
  const problems = contradictions(parsed.data)
  if (problems.length > 0) throw new ConfigError(problems)
  return finished(parsed.data, () => 'the configuration')
}

function finished(data: z.output<typeof settings>, origin: (key: string) => string): Config {
  const config = { ...data, dataDir: resolve(data.dataDir), fixed: fixedSettings(data, origin) }
  Object.freeze(config.listen)
  return Object.freeze(config)
}

function contradictions(data: z.output<typeof settings>): string[] {
  const problems: string[] = []
  if ((data.tlsCert === undefined) !== (data.tlsKey === undefined)) problems.push('tlsCert, tlsKey: give both or neither')
  if (!isLoopback(data.listen.host) && !data.tlsCert && !data.publicAddr)
    problems.push(
      `listen: ${data.listen.host} can be reached from other machines, so browsers need HTTPS: give tlsCert and tlsKey, or publicAddr when a TLS server stands in front`,
    )
  if (data.allowPasswordless === true && (data.secondFactor === 'off' || data.secondFactor === 'otp'))
    problems.push(`allowPasswordless: needs secondFactor webauthn, on or optional, it is ${data.secondFactor}`)
  if ((data.assistAddress === undefined) !== (data.assistModel === undefined))
    problems.push('assistAddress, assistModel: give both or neither')
  if (data.assistKey !== undefined && data.assistKeyFile !== undefined) problems.push('assistKey, assistKeyFile: give one of them')
  return problems
}

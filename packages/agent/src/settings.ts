/** What an administrator of this machine decides about its agent: `agent.json` in the data directory, written by `join`. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { announcedWire, labelsWire, matchersWire, maxAnnounced } from '@sallyport/wire/tunnel.ts'
import { AgentError } from './agent-error.ts'
import { writePrivateFile } from './private-file.ts'

const target = z.string().check(z.regex(/^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+):\d{1,5}$/u, 'must be host:port'))
const proxy = z.string().check(z.refine((value) => isOrigin(value), 'must be an HTTPS address such as https://console.example.com'))

export const settingsForm = z.strictObject({
  /** All of them are connected to. */
  proxies: z.array(proxy).check(z.minLength(1)),
  /** `sha256:` and the hash, in hex, of the public key of a certificate in the proxy's chain. Instead of the system's authorities. */
  caPin: z.optional(z.string().check(z.regex(/^sha256:[0-9a-f]{64}$/u, 'must be sha256: and 64 hexadecimal digits'))),
  /** PEM file of authorities that count instead of the system's. */
  caFile: z.optional(z.string()),
  /** Default: the system's. */
  hostname: z.optional(z.string().check(z.minLength(1), z.maxLength(255))),
  labels: z._default(labelsWire, {}),
  /** `period` in seconds. */
  commandLabels: z._default(
    z.record(z.string(), z.object({ command: z.tuple([z.string()], z.string()), period: z._default(z.number().check(z.minimum(1)), 60) })),
    {},
  ),
  /** From a label to the variable of the agent's environment that has its value. */
  environmentLabels: z._default(z.record(z.string(), z.string()), {}),
  /** Set in the environment of every session. */
  environment: z._default(z.record(z.string(), z.string()), {}),
  /** Machines without an agent that are reached through this one, as `host:port`. Nothing else is ever dialled. */
  forward: z._default(z.array(target).check(z.maxLength(1000)), []),
  /** Whether this machine is a server of the cluster, or only reaches `resources`. */
  ssh: z._default(z.boolean(), true),
  /** Applications, databases, clusters and desktops that are reached through this agent. */
  resources: z._default(z.array(announcedWire).check(z.maxLength(maxAnnounced)), []),
  /** Databases that are reached through this agent, by the labels of their documents: where they are, an administrator of the cluster says. */
  databases: z.optional(matchersWire),
})
export type Settings = z.output<typeof settingsForm>

const fileOf = (dataDir: string): string => join(dataDir, 'agent.json')

/** Throws AgentError: not joined, or a mistake in the file, named. */
export async function readSettings(dataDir: string): Promise<Settings> {
  const file = fileOf(dataDir)
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT')
      throw new AgentError(`This machine has not joined a cluster yet (there is no ${file}): run "sallyport agent join" first.`, { cause })
    throw new AgentError(`${file} cannot be read: ${cause.message}.`, { cause })
  })
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (cause) {
    throw new AgentError(`${file} is no JSON: ${cause instanceof Error ? cause.message : ''}.`, { cause })
  }
  return parseSettings(json, file)
}

/** Throws AgentError that names each mistake. */
export function parseSettings(value: unknown, where: string): Settings {
  const parsed = settingsForm.safeParse(value)
  if (parsed.success) return parsed.data
  const mistakes = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the whole'}: ${message}`)
  throw new AgentError(`${where}: ${mistakes.join('; ')}.`)
}

export const writeSettings = (dataDir: string, settings: Partial<Settings>): Promise<void> =>
  writePrivateFile(fileOf(dataDir), `${JSON.stringify(settings, undefined, 2)}\n`)

/** An origin that secrets may be sent to: HTTPS, or this machine itself. */
function isOrigin(value: string): boolean {
  const url = URL.parse(value)
  if (!url || url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname))
}

const isThisMachine = (hostname: string): boolean => /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/u.test(hostname)

/** Join tokens: what lets agents into the cluster, as whom, until when. */
import * as z from 'zod/mini'
import { listOf, zeroTime } from '../call.ts'
import { defaultJoinMethod, resourceIdLabel } from '../limits.ts'
import { labelWire } from './label.ts'
import type { Label } from './label.ts'
import { wireDate } from './wire-date.ts'

/** What may join with a token. */
export const joinRoles = [
  'Node',
  'App',
  'Db',
  'Kube',
  'WindowsDesktop',
  'Discovery',
  'Trusted_cluster',
  'Bot',
  'Proxy',
  'Auth',
  'Okta',
  'MDM',
] as const
export type JoinRole = (typeof joinRoles)[number]

/** How somebody proves that they may join: by knowing the token, or by what their surroundings vouch for. */
export const joinMethods = [
  'token',
  'ec2',
  'iam',
  'github',
  'gitlab',
  'circleci',
  'kubernetes',
  'azure',
  'gcp',
  'tpm',
  'spacelift',
  'terraform_cloud',
  'bitbucket',
  'oracle',
] as const
export type JoinMethod = (typeof joinMethods)[number]

const shortText = z.string().check(z.maxLength(255))
/** A value or several. */
const labelMap = z.nullish(z.record(shortText, z.union([shortText, z.array(shortText).check(z.maxLength(100))])))
const providerRules = z.nullish(z.record(z.string(), z.unknown()))

/** Rules of a token as clients send them; the proxy checks them like the document that they become. */
export const joinTokenFields = {
  roles: z.array(shortText).check(z.maxLength(32)),
  join_method: z.pipe(
    z._default(z.string().check(z.maxLength(64)), ''),
    z.transform((method) => method || defaultJoinMethod),
  ),
  allow: z.nullish(z.array(z.record(z.string(), z.unknown())).check(z.maxLength(100))),
  bot_name: z.nullish(shortText),
  suggested_labels: labelMap,
  suggested_agent_matcher_labels: labelMap,
  aws_iid_ttl: z.nullish(shortText),
  github: providerRules,
  gitlab: providerRules,
  azure: providerRules,
  gcp: providerRules,
  kubernetes: providerRules,
  circleci: providerRules,
  /** Ours: `single_use` lets one agent in, then the token is gone. */
  usage_mode: z.nullish(z.enum(['unlimited', 'single_use'])),
}

/** `expiry` is the zero time for a token without an end. */
export const joinTokenWire = z.object({
  id: z.string(),
  expiry: z._default(z.string(), zeroTime),
  method: z._default(z.string(), defaultJoinMethod),
  suggestedLabels: listOf(labelWire),
})
export type JoinTokenWire = z.output<typeof joinTokenWire>

export interface JoinToken {
  id: string
  suggestedLabels: Label[]
  /** Every agent that joins with the token carries it, so that who made the token can see it arrive. */
  internalResourceId: string
  /** Undefined: no end. */
  expiry: Date | undefined
  /** The time that is left, in words. */
  expiryText: string
}

export const toJoinToken = (wire: JoinTokenWire, now: number): JoinToken => {
  const expiry = wireDate(wire.expiry)
  return {
    id: wire.id,
    suggestedLabels: wire.suggestedLabels,
    internalResourceId: wire.suggestedLabels.find(({ name }) => name === resourceIdLabel)?.value ?? '',
    expiry,
    expiryText: expiry ? distance(expiry.getTime() - now) : 'never',
  }
}

const units = [
  ['year', 365 * 86_400_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** `4 hours`, `1 minute`; what is over is `less than a minute`, for its last one. */
function distance(ms: number): string {
  for (const [unit, length] of units) {
    const count = Math.round(ms / length)
    if (count >= 1 && ms >= length * 0.95) return `${count} ${unit}${count === 1 ? '' : 's'}`
  }
  return 'less than a minute'
}

/** One token in the list. `content` is its document in YAML. */
export const joinTokenItemWire = z.object({
  id: z.string(),
  /** The name with its secret part masked; the name itself where that is no secret. */
  safeName: z._default(z.string(), ''),
  bot_name: z._default(z.string(), ''),
  expiry: z._default(z.string(), zeroTime),
  roles: listOf(z.string()),
  isStatic: z._default(z.boolean(), false),
  method: z._default(z.string(), defaultJoinMethod),
  allow: z.optional(z.array(z.record(z.string(), z.unknown()))),
  gcp: z.optional(z.record(z.string(), z.unknown())),
  github: z.optional(z.record(z.string(), z.unknown())),
  content: z._default(z.string(), ''),
  /** Ours. */
  suggestedLabels: z.optional(z.array(labelWire)),
  /** Ours: the first agent that joins uses it up. */
  singleUse: z.optional(z.boolean()),
})
export type JoinTokenItem = z.output<typeof joinTokenItemWire>

/** Tokens that machines install the agent with: random ones, whose text cannot mean anything to a shell. */
export const isInstallToken = ({ id, method, roles }: Pick<JoinTokenItem, 'id' | 'method' | 'roles'>): boolean =>
  method === defaultJoinMethod && roles.includes('Node') && /^[0-9a-f]{32}$/.test(id)

/** What makes a machine part of the cluster. */
export type InstallScript = 'install-node' | 'install-openssh' | 'install-app' | 'install-database' | 'install-desktop' | 'install-kube'

/** What is run on a machine that is to join. `pin` is how curl recognises a private certificate; empty without one. */
export function installCommand(
  origin: string,
  id: string,
  script: InstallScript,
  pin: string,
  query: Readonly<Record<string, string>> = {},
): string {
  const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll("'", '%27')}`)
  const address = `${origin}/scripts/${encodeURIComponent(id)}/${script}.sh`
  const url = search.length === 0 ? address : `'${address}?${search.join('&')}'`
  return `sudo bash -c "$(curl -fsSL${pin === '' ? '' : `k --pinnedpubkey '${pin}'`} ${url})"`
}

/** The same with our agent. */
export const installNodeCommand = (origin: string, id: string, pin: string): string => installCommand(origin, id, 'install-node', pin)

/** The header that names the token to delete: names of tokens are secrets, so they are in no address. */
export const tokenNameHeader = 'X-Teleport-TokenName'

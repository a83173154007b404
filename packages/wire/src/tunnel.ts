/**
 * What an agent and a proxy say to each other. The agent dials; both exchange three lines of JSON (challenge, hello,
 * verdict); from then on the connection carries HTTP/2 with the agent as the server.
 */
import * as z from 'zod/mini'

/** Name of the protocol, in ALPN and in `Upgrade`. */
export const tunnelProtocol = 'sallyport-tunnel'
/** Where HTTP/1.1 is upgraded to it. */
export const tunnelPath = '/v1/webapi/hosts/tunnel'
/** Target of CONNECT: the agent's own SSH server. Anything else is an address that the agent was told to forward to. */
export const ownSshTarget = 'ssh'
/** On CONNECT, where the person's client connects from. */
export const clientAddressHeader = 'sallyport-client-address'
/** On a refused CONNECT, the reason. */
export const refusalHeader = 'sallyport-refusal'
/**
 * Requests to the agent. `heartbeats` answers a line of JSON for each heartbeat, without an end; `cluster` takes news;
 * `again` asks for a further connection, to the process that serves the proxy's address now. The agent closes the one on
 * which it was asked when the other is there and nothing runs through this one any more.
 */
export const agentPaths = { heartbeats: '/heartbeats', cluster: '/cluster', again: '/again' } as const

/** Of the handshake, in bytes. */
export const handshakeLineLimit = 16 * 1024
/** Of a heartbeat or of news, in bytes. */
export const controlLineLimit = 128 * 1024
/** Milliseconds for all three lines. */
export const handshakeTimeout = 10_000

/** Per stream, and for all of one connection: a reader that stalls must not stall the others. */
export const streamWindow = 4 * 1024 * 1024
export const connectionWindow = 64 * 1024 * 1024
export const frameSize = 64 * 1024

const text = z.string().check(z.maxLength(1024))
const shortText = z.string().check(z.maxLength(255))
const base64 = z.string().check(z.maxLength(8192))
const keyLines = z.array(z.string().check(z.maxLength(4096))).check(z.maxLength(16))
/** In one spelling only: names in host certificates are compared without regard to case. */
export const hostId = z.string().check(z.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 'must be a UUID in lower case'))
const hostname = z.string().check(z.minLength(1), z.maxLength(255))

export const challengeWire = z.object({
  cluster: shortText,
  /** 32 bytes. */
  nonce: base64,
  /** The proxy's time, epoch milliseconds. */
  time: z.number(),
})

export const helloWire = z.object({
  hostId,
  /** Changes with every start of the agent. */
  instance: hostId,
  hostname,
  version: shortText,
  /** The line of the host certificate. */
  certificate: base64,
  /** Over `hostProof('tunnel', …)`, as SSH signs. */
  signature: base64,
})
export type Hello = z.output<typeof helloWire>

export const verdictWire = z.discriminatedUnion('status', [
  z.object({ status: z.literal('ok') }),
  /** `later`: the same may be accepted soon, without anybody doing something on this host. */
  z.object({ status: z.literal('refused'), reason: text, later: z.boolean() }),
])
export type Verdict = z.output<typeof verdictWire>

export const labelsWire = z.record(z.string().check(z.minLength(1), z.maxLength(255)), text)

/** Kinds of resources that are no servers, each with the role of a join token that lets an agent announce it. */
export const servedRoles = { app: 'App', db: 'Db', kube_cluster: 'Kube', windows_desktop: 'WindowsDesktop' } as const
export type ServedKindName = keyof typeof servedRoles
const servedKindNames = Object.keys(servedRoles) as [ServedKindName, ...ServedKindName[]]

const defaultPorts: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  postgres: 5432,
  postgresql: 5432,
  mysql: 3306,
  mariadb: 3306,
  rdp: 3389,
}

/** Values by label. An empty one matches nothing, `{"*": ["*"]}` everything. */
export const matchersWire = z.record(z.string().check(z.maxLength(255)), z.array(text).check(z.maxLength(100)))
/** Target of CONNECT: the database at an address that its document says. Only for agents that serve databases by labels. */
export const databaseTarget = (target: string): string => `db+${target}`
export const databaseOf = (target: string): string | undefined => (target.startsWith('db+') ? target.slice('db+'.length) : undefined)

/** Where a resource is dialled, as `host:port`, from a URL or from just that. Undefined when it names no host and port. */
export function dialTargetOf(uri: string): string | undefined {
  const [, scheme, authority = ''] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/?#]*)/iu.exec(uri) ?? []
  const [, host = '', digits] = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/iu.exec(authority) ?? []
  const port = digits === undefined ? defaultPorts[scheme?.toLowerCase() ?? ''] : Number(digits)
  return host === '' || port === undefined || port < 1 || port > 65_535 ? undefined : `${host}:${port}`
}

/** A resource that an agent reaches. */
export const announcedWire = z.object({
  kind: z.enum(servedKindNames),
  name: z.string().check(z.regex(/^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,253}[a-zA-Z0-9])?$/u, 'must be letters, digits, dots and dashes')),
  description: z._default(text, ''),
  labels: z._default(labelsWire, {}),
  /** Only this address of it is ever dialled. */
  uri: text.check(z.refine((uri) => dialTargetOf(uri) !== undefined, 'must be a URL, or host:port')),
  /** What its kind says besides, in the spelling of the kind's documents. */
  spec: z._default(z.record(z.string(), z.unknown()), {}),
})
export type Announced = z.output<typeof announcedWire>
export const maxAnnounced = 200

/** What the agent tells about itself. */
export const heartbeatWire = z.object({
  hostname,
  os: shortText,
  version: shortText,
  labels: labelsWire,
  resources: z._default(z.array(announcedWire).check(z.maxLength(maxAnnounced)), []),
  /** The databases that are reached through this host besides, by the labels of their documents. */
  databases: z.optional(matchersWire),
})
export type HeartbeatWire = z.output<typeof heartbeatWire>

/** What a host needs to know of its cluster: whom to trust, and who it is. */
export const clusterNewsWire = z.object({
  cluster: shortText,
  /** Lines of public keys. */
  userCa: keyLines,
  hostCa: keyLines,
  /** The line of a renewed host certificate. */
  certificate: z.optional(base64),
})
export type ClusterNews = z.output<typeof clusterNewsWire>

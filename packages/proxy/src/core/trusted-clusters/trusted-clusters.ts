/** At the leaf: the documents of the roots that it trusts, joining them, and the connections to them. */
import type { Duplex } from 'node:stream'
import { validate } from '@sallyport/wire/calls/trusted-clusters.ts'
import { errorBodyWire } from '@sallyport/wire/errors.ts'
import type { LeafState } from '@sallyport/wire/cluster-link.ts'
import type { TrustState } from '@sallyport/wire/entities/trusted-cluster.ts'
import type { RoleStore } from '../access/role.ts'
import type { Audit } from '../audit/audit.ts'
import type { Authorities } from '../authorities/authorities.ts'
import type { Clock } from '../clock.ts'
import { accessDenied, alreadyExists, badParameter, connectionProblem } from '../errors.ts'
import { hashOf } from '../identity/secrets.ts'
import type { Log } from '../log.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { exportAuthorities, readAuthorities } from './cluster-authorities.ts'
import type { ClusterAuthorities } from './cluster-authorities.ts'
import { postToRoot } from './dial-root.ts'
import { keepLinked } from './keep-linked.ts'
import type { KeptLink } from './keep-linked.ts'
import { newInstance } from './link-handshake.ts'
import { rootOrigin } from './root-address.ts'
import type { RootClusters } from './root-clusters.ts'
import { namedRoles, roleMapOf, trustedClusterKind } from './trusted-cluster.ts'
import type { TrustedCluster, TrustedClusterSpec, TrustedClusterStore } from './trusted-cluster.ts'

export interface TrustedClusters extends AsyncDisposable {
  list(): Promise<TrustedCluster[]>
  require(name: string): Promise<TrustedCluster>
  /** Joins the root. Throws bad parameter, already exists, access denied (the token), connection problem. */
  create(draft: TrustedCluster, by: string): Promise<TrustedCluster>
  /** Changes the mapping, or enables and disables. Throws not found, bad parameter. */
  update(draft: TrustedCluster, by: string): Promise<TrustedCluster>
  /** Throws not found. */
  remove(name: string, by: string): Promise<void>
  states(): Promise<TrustState[]>
  /** From now on this process connects to the roots, whose requests `accept` takes. */
  start(accept: (stream: Duplex, from: { root: string; clientAddress: string }) => void): Promise<void>
  /** Another process does. What runs through the connections here goes on. */
  retire(): void
}

export interface TrustedClusterDeps {
  store: TrustedClusterStore
  roots: RootClusters
  roles: Pick<RoleStore, 'get'>
  authorities: Authorities
  audit: Pick<Audit, 'emit'>
  feed: ChangeFeed
  clock: Clock
  log: Log
  clusterName: string
  version: string
  state: () => LeafState
  pingEvery: () => number
  onOver: (root: string, login: string) => void
}

export function createTrustedClusters(deps: TrustedClusterDeps): TrustedClusters {
  const { store, roots, roles, authorities, audit, feed, clock, log, clusterName, version } = deps
  const instance = newInstance()
  const links = new Map<string, { link: KeptLink; to: string }>()
  let accept: Parameters<TrustedClusters['start']>[0] | undefined
  let latest: Promise<void> = Promise.resolve()

  async function requireRoles(spec: TrustedClusterSpec): Promise<void> {
    for (const name of namedRoles(spec))
      if (!(await roles.get(name))) throw badParameter(`role_map: there is no role "${name}" in this cluster; create it first`)
  }
  const addressOf = ({ web_proxy_addr, ca_pin }: TrustedClusterSpec) => ({ origin: rootOrigin(web_proxy_addr), caPin: ca_pin })

  async function join(spec: TrustedClusterSpec, token: string): Promise<ClusterAuthorities> {
    const body = { token, certificate_authorities: exportAuthorities(authorities, clusterName), teleport_version: version }
    const { status, text } = await postToRoot(addressOf(spec), validate.path, body)
    const json = asJson(text)
    if (status !== 200) {
      const message = errorBodyWire.safeParse(json).data?.error.message ?? 'it does not say why'
      if (status === 403) throw accessDenied(message)
      throw status === 409 ? alreadyExists(message) : connectionProblem(`the root refused: ${message}`)
    }
    const answer = validate.out.safeParse(json)
    if (!answer.success) throw connectionProblem('what answers at the address of the root is no proxy of this product')
    return readAuthorities(answer.data.certificate_authorities)
  }

  function connectTo(name: string, spec: TrustedClusterSpec): KeptLink {
    const { web_proxy_addr, tunnel_addr = web_proxy_addr } = spec
    return keepLinked({
      address: { origin: rootOrigin(tunnel_addr ?? ''), caPin: spec.ca_pin },
      introduction: async () => {
        const root = await roots.find(name)
        if (!root) throw new Error(`nothing is kept of the root "${name}"`)
        return { clusterKey: authorities.clusterKey, clusterName, clock, root, instance, version }
      },
      accept: (stream, clientAddress) => accept?.(stream, { root: name, clientAddress }),
      onOver: (login) => deps.onOver(name, login),
      onConnected: () =>
        void roots
          .connected(name, clock.now())
          .catch((error: unknown) => log.warn({ err: error }, 'it was not noted that a root is connected')),
      state: deps.state,
      log,
      pingEvery: deps.pingEvery(),
    })
  }

  /** Connections as the documents want them. */
  async function reconcile(): Promise<void> {
    if (!accept) return
    const wanted = new Map((await store.list()).flatMap(({ metadata: { name }, spec }) => (spec.enabled ? [[name, spec] as const] : [])))
    const over = [...links].filter(([name, { to }]) => to !== linkTo(wanted.get(name)))
    for (const [name] of over) links.delete(name)
    await Promise.all(over.map(([, { link }]) => link[Symbol.asyncDispose]()))
    for (const [name, spec] of wanted) if (!links.has(name)) links.set(name, { link: connectTo(name, spec), to: linkTo(spec) })
  }
  function follow(): Promise<void> {
    latest = latest
      .then(reconcile)
      .catch((error: unknown) => log.error({ err: error }, 'the connections to root clusters could not be brought up to date'))
    return latest
  }
  const changes = feed.subscribe(({ kind }) => {
    if (kind === trustedClusterKind.kind) void follow()
  })

  /** Without its token, which is used once and never kept. */
  const inputOf = ({ version: documentVersion, metadata, spec }: TrustedCluster, name = metadata.name) => ({
    version: documentVersion,
    metadata: { ...metadata, name },
    spec: { ...spec, token: undefined },
  })

  async function requireSmallChange(stored: TrustedCluster, { spec }: TrustedCluster): Promise<void> {
    const root = await roots.find(stored.metadata.name)
    const fixed = ['web_proxy_addr', 'tunnel_addr', 'roles', 'ca_pin'] as const
    const changed = fixed.find((field) => JSON.stringify(spec[field]) !== JSON.stringify(stored.spec[field]))
    const isOtherToken = spec.token !== undefined && hashOf(spec.token) !== root?.tokenHash
    if (changed !== undefined || isOtherToken)
      throw badParameter(`${changed ?? 'token'} of a trusted cluster cannot be changed; delete it and create it anew`)
    const isSameMap = JSON.stringify(spec.role_map) === JSON.stringify(stored.spec.role_map)
    if (isSameMap && spec.enabled === stored.spec.enabled) throw badParameter('nothing was changed: only role_map and enabled can be')
  }

  return {
    list: () => store.list(),
    require: (name) => store.require(name),
    async create(draft, by) {
      const { spec } = draft
      if (!spec.token) throw badParameter('spec.token: give a join token of the root, made for the role Trusted_cluster')
      if (await store.get(draft.metadata.name)) throw alreadyExists(trustedClusterKind.existsText(draft.metadata.name))
      await requireRoles(spec)
      const root = await join(spec, spec.token)
      const name = root.clusterName
      if (name === clusterName) throw badParameter('a cluster cannot trust itself; give the address of another one')
      if (await store.get(name)) throw alreadyExists(trustedClusterKind.existsText(name))
      await audit.emit('T7000I', { user: by, name })
      await roots.put({ name, publicKeys: root.clusterKeys, tokenHash: hashOf(spec.token), authorities: root.encoded })
      const created = await store.create(inputOf(draft, name))
      await follow()
      return created
    },
    async update(draft, by) {
      const stored = await store.require(draft.metadata.name)
      await requireSmallChange(stored, draft)
      await requireRoles(draft.spec)
      await audit.emit('T7000I', { user: by, name: draft.metadata.name })
      const updated = await store.update(inputOf(draft))
      await follow()
      return updated
    },
    async remove(name, by) {
      await store.require(name)
      await audit.emit('T7001I', { user: by, name })
      await store.delete(name)
      await roots.remove(name)
      await follow()
    },
    async states() {
      return Promise.all(
        (await store.list()).map(async ({ metadata: { name }, spec }) => {
          const link = links.get(name)?.link
          const { lastConnected = 0 } = (await roots.find(name)) ?? {}
          const isConnected = link?.isConnected() === true
          const seen = isConnected ? clock.now() : lastConnected
          return {
            name,
            address: new URL(rootOrigin(spec.web_proxy_addr)).host,
            roleMap: [...roleMapOf(spec)],
            status: !spec.enabled ? 'disabled' : isConnected ? 'connected' : 'connecting',
            lastConnected: seen === 0 ? '' : new Date(seen).toISOString(),
            error: spec.enabled && !isConnected ? (link?.error() ?? '') : '',
          }
        }),
      )
    },
    async start(take) {
      accept = take
      await follow()
    },
    retire() {
      changes[Symbol.dispose]()
      for (const { link } of links.values()) link.retire()
    },
    async [Symbol.asyncDispose]() {
      changes[Symbol.dispose]()
      await latest
      accept = undefined
      await Promise.all([...links.values()].map(({ link }) => link[Symbol.asyncDispose]()))
    },
  }
}

/** What a connection depends on: when that changes there has to be another one. */
const linkTo = (spec: TrustedClusterSpec | undefined): string =>
  spec === undefined ? '' : JSON.stringify([spec.web_proxy_addr, spec.tunnel_addr, spec.ca_pin])

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined // no proxy of ours: told below
  }
}

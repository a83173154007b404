/**
 * OpenSSH servers of the cluster: every document is a node in the inventory and a route to its address, on every proxy,
 * from the moment it is stored until it is removed. Nobody but an administrator's document says where a server is.
 */
import type { Audit } from '../audit/audit.ts'
import { alreadyExists, AppError } from '../errors.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { Log } from '../log.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { parseResource } from '../resources/resources.ts'
import type { HostKeyPolicy } from '../tunnel/host-keys.ts'
import { tcpRoute } from '../tunnel/tunnel.ts'
import type { Route, Tunnels } from '../tunnel/tunnel.ts'
import { createHostKeyJudge } from './host-key-judge.ts'
import { formatAddress, openSshNodeKind, openSshSubKind, parseAddress } from './openssh-node.ts'
import type { OpenSshNode, OpenSshNodeInput, OpenSshNodeStore } from './openssh-node.ts'

export interface OpenSshNodes extends Disposable {
  /** Stores a document, or replaces the one of its name; it can be dialled by then. `by` is nobody for a server that registers itself. Throws bad parameter, compare failed, already exists. */
  put(document: OpenSshNodeInput, by: string | undefined): Promise<OpenSshNode>
  /** Throws not found. */
  remove(name: string, by: string): Promise<void>
}

export interface OpenSshNodesDeps {
  store: OpenSshNodeStore
  inventory: Pick<Inventory, 'node' | 'place'>
  tunnels: Pick<Tunnels, 'register'>
  /** To an address that the agent of a host is told to forward to. */
  through: (agentHostId: string, target: string) => Route
  feed: Pick<ChangeFeed, 'subscribe'>
  audit: Pick<Audit, 'emit'>
  log: Pick<Log, 'error'>
}

/** Resolves when every server that is stored can be dialled. */
export async function openOpenSshNodes(deps: OpenSshNodesDeps): Promise<OpenSshNodes> {
  const { store, inventory, tunnels, through, feed, audit, log } = deps
  const judge = createHostKeyJudge(deps)
  const placed = new Map<string, { revision: string; registrations: DisposableStack }>()

  function place({ metadata, spec }: OpenSshNode): void {
    const { name: id, revision, labels, expires } = metadata
    if (placed.get(id)?.revision === revision) return
    takeAway(id)
    const address = parseAddress(spec.addr)
    if (!address) return // the schema lets none in
    const registrations = new DisposableStack()
    const node = { id, hostname: spec.hostname, addr: spec.addr, tunnel: false, labels, subKind: openSshSubKind }
    registrations.use(inventory.place(node, expires === null ? Infinity : Date.parse(expires)))
    const route = spec.via === undefined ? tcpRoute(address) : through(spec.via, formatAddress(address))
    registrations.use(tunnels.register(id, route, policyOf(id, spec)))
    placed.set(id, { revision, registrations })
  }
  function policyOf(id: string, { host_key: key }: OpenSshNode['spec']): HostKeyPolicy | undefined {
    if (!key || (key.fingerprint === undefined && key.trust_on_first_use !== true)) return undefined
    return judge.policy(id, key.fingerprint === undefined ? undefined : key.type)
  }
  function takeAway(id: string): void {
    placed.get(id)?.registrations.dispose()
    placed.delete(id)
  }
  async function follow(): Promise<void> {
    const nodes = await store.list()
    const known = new Set(nodes.map(({ metadata }) => metadata.name))
    for (const id of placed.keys()) if (!known.has(id)) takeAway(id)
    nodes.forEach(place)
  }
  let following = Promise.resolve()
  /** After what is under way: one after the other, so that an older reading never wins. */
  const followNext = (): Promise<void> => {
    following = following.then(follow).catch((error: unknown) => log.error({ err: error }, 'the OpenSSH servers could not be read'))
    return following
  }
  await follow()
  const changes = feed.subscribe(({ kind }) => {
    if (kind === openSshNodeKind.kind) void followNext()
  })

  return {
    async put(input, by) {
      const { metadata, spec } = parseResource(openSshNodeKind, input)
      const { name } = metadata
      const exists = (await store.get(name)) !== undefined
      if (!exists && inventory.node(name)) throw alreadyExists(`metadata.name: a server with an agent has the id ${name}; write a new UUID`)
      await audit.emit('THS00I', {
        ...(by !== undefined && { user: by }),
        name,
        hostname: spec.hostname,
        addr: spec.addr,
        ...fingerprintOf(spec),
      })
      const node = await (exists ? store.update(input) : store.create(input))
      await followNext()
      return node
    },
    async remove(name, by) {
      const { spec } = await store.require(name)
      await audit.emit('THS01I', { user: by, name, hostname: spec.hostname, addr: spec.addr })
      await store.delete(name).catch(ignoreGone)
      await followNext()
    },
    [Symbol.dispose]() {
      changes[Symbol.dispose]()
      for (const id of placed.keys()) takeAway(id)
    },
  }
}

const fingerprintOf = ({ host_key: key }: OpenSshNode['spec']) => (key?.fingerprint === undefined ? {} : { fingerprint: key.fingerprint })

/** Another proxy was first. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error
}

/** The servers that are registered right now. */
import type { Page } from '@sallyport/wire/entities/list.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { ListRequest } from './list-query.ts'
import { nodeKind } from './node.ts'
import type { Node, NodeInput } from './node.ts'
import { openRegistry } from './registry.ts'
import type { RegistryDeps } from './registry.ts'

export { heartbeatTtl } from './registry.ts'
export type { Node } from './node.ts'

/** `expires`: epoch milliseconds; the standard lifetime from now when absent. */
export type NodeHeartbeat = NodeInput & { expires?: number }

export type Resolution = { kind: 'found'; node: Node } | { kind: 'ambiguous'; nodes: Node[] } | { kind: 'none' }

export interface Inventory {
  /** Registers a node or renews it. Throws bad parameter, LockRefusal. */
  heartbeat(node: NodeHeartbeat): Promise<void>
  remove(id: string): Promise<void>
  /** A node that some document tells of: it is there, on this proxy, until the result is disposed or `expires` (epoch milliseconds) comes. */
  place(node: NodeInput, expires: number): Disposable
  node(id: string): Node | undefined
  /** Whether a node is there and another proxy was the last to hear from it. */
  isElsewhere(id: string): boolean
  count(): number
  /** All of them, in no order. */
  nodes(): Node[]
  /** Nodes that one of the viewers sees, by the list grammar. A sort field that nodes do not have is refused with 501, a query that cannot be read with 400. */
  list(request: ListRequest, viewers: readonly NodeViewer[]): Page<Node>
  some(accepts: (node: Node) => boolean): boolean
  /** A node by its id, else by exact hostname, else by exact address. Only nodes that pass `accepts` count. */
  resolve(serverId: string, accepts?: (node: Node) => boolean): Resolution
}

/** Somebody whose roles show some nodes: the same answer for the same labels and id at all times. */
export interface NodeViewer {
  canSeeNode(labels: Node['labels'], id: string): boolean
}

interface InventoryDeps extends RegistryDeps {
  locks: Pick<LockView, 'require'>
}

export async function openInventory({ locks, ...deps }: InventoryDeps): Promise<Inventory & AsyncDisposable> {
  const nodes = await openRegistry(nodeKind, deps)
  const views = new WeakMap<NodeViewer, { canSee: NodeViewer['canSeeNode'] }>()
  /** What the index remembers of a viewer stands under one object. */
  function viewOf(viewer: NodeViewer): { canSee: NodeViewer['canSeeNode'] } {
    let view = views.get(viewer)
    if (!view) views.set(viewer, (view = { canSee: (labels, id) => viewer.canSeeNode(labels, id) }))
    return view
  }
  return {
    async heartbeat({ expires, ...given }) {
      locks.require({ node: given.id })
      await nodes.heartbeat(given, expires)
    },
    remove: nodes.remove,
    place: nodes.place,
    node: nodes.get,
    isElsewhere: nodes.isElsewhere,
    count: nodes.count,
    list: (request, viewers) => nodes.list(request, viewers.map(viewOf)),
    nodes: () => [...nodes.items()],
    some: (accepts) => !nodes.items(accepts).next().done,
    resolve(serverId, accepts = () => true) {
      // Nodes behind tunnels have no address; no name is not theirs.
      if (serverId === '') return { kind: 'none' }
      const byId = nodes.get(serverId.toLowerCase())
      if (byId) return accepts(byId) ? { kind: 'found', node: byId } : { kind: 'none' }
      for (const field of ['hostname', 'addr'] as const) {
        const found = [...nodes.items((candidate) => candidate[field] === serverId && accepts(candidate))]
        const [first] = found
        if (first) return found.length === 1 ? { kind: 'found', node: first } : { kind: 'ambiguous', nodes: found }
      }
      return { kind: 'none' }
    },
    [Symbol.asyncDispose]: () => nodes[Symbol.asyncDispose](),
  }
}

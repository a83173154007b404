import { z } from 'zod'
import { accessTo } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import type { NodeTarget } from './connect-node.ts'

/**
 * The node that a client names: by id, hostname or address, among those that the caller may see. Throws not found for an id
 * that is unknown; what else cannot be reached is refused in words, as sessions tell it.
 */
export function resolveNode(
  inventory: Pick<Inventory, 'resolve'>,
  { serverId, login }: { serverId: string; login: string },
  caller: Pick<Actor, 'access' | 'requested'>,
): NodeTarget {
  const found = inventory.resolve(serverId, ({ id, labels }) => accessTo(caller, 'node', id).canSeeNode(labels))
  if (found.kind === 'found') return { kind: 'found', node: found.node, login }
  if (found.kind === 'ambiguous') {
    const ids = found.nodes.map(({ id }) => id).join(', ')
    return { kind: 'refused', serverId, login, reason: `ambiguous host "${serverId}": choose one of ${ids}` }
  }
  if (z.uuid().safeParse(serverId.toLowerCase()).success) throw notFound(`node ${serverId} not found`)
  return { kind: 'refused', serverId, login, reason: `server "${serverId}" is not registered here or you have no access to it` }
}

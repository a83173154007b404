import { z } from 'zod'
import type { Caller } from '../../core/caller.ts'
import { notFound } from '../../core/errors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import type { TerminalSize } from '../../core/sessions/subject.ts'
import type { SessionTarget } from './open-session.ts'

/**
 * The node that a client names: by id, hostname or address, among those that the caller may see. Throws not found for an id
 * that is unknown; what else cannot be reached is refused in words, as sessions tell it.
 */
export function resolveNode(
  inventory: Pick<Inventory, 'resolve'>,
  { serverId, login, size }: { serverId: string; login: string; size: TerminalSize },
  caller: Caller,
): SessionTarget {
  const found = inventory.resolve(serverId, ({ labels }) => caller.access.canSeeNode(labels))
  if (found.kind === 'found') return { kind: 'new', node: found.node, login, size }
  if (found.kind === 'ambiguous') {
    const ids = found.nodes.map(({ id }) => id).join(', ')
    return { kind: 'refused', serverId, login, reason: `ambiguous host "${serverId}": choose one of ${ids}` }
  }
  if (z.uuid().safeParse(serverId.toLowerCase()).success) throw notFound(`node ${serverId} not found`)
  return { kind: 'refused', serverId, login, reason: `server "${serverId}" is not registered here or you have no access to it` }
}

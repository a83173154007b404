/** The server that a jump names. What is not registered here, or not for the caller to see, is refused: never dialled. */
import type { Actor } from '../../../core/caller.ts'
import { accessDenied, notFound } from '../../../core/errors.ts'
import type { Inventory, Node } from '../../../core/inventory/inventory.ts'
import type { AppError } from '../../../core/errors.ts'
import { resolveNode } from '../resolve-node.ts'

const sshPorts: ReadonlySet<number> = new Set([0, 22, 3022])

/**
 * By id, hostname or address, with or without the cluster's name after it. Undefined when nothing of the name is here for
 * the caller. Throws not found for one that says too little, access denied.
 */
export function nameNode(
  inventory: Pick<Inventory, 'resolve'>,
  clusterName: string,
  { host, port }: { host: string; port: number },
  caller: Pick<Actor, 'access' | 'requested'>,
): Node | undefined {
  const suffix = `.${clusterName}`
  const names = [host, `${host}:${port}`, ...(host.endsWith(suffix) ? [host.slice(0, -suffix.length)] : [])]
  const targets = names.map((serverId) => find(inventory, serverId, caller))
  const target = targets.find(({ kind }) => kind === 'found')
  const ambiguous = targets.find(({ reason }) => reason?.startsWith('ambiguous'))
  if (!target && ambiguous?.reason !== undefined) throw notFound(ambiguous.reason)
  if (!target?.node) return undefined
  if (!sshPorts.has(port) && target.node.addr !== `${host}:${port}`)
    throw accessDenied(
      `only SSH goes through here; for port ${port} of ${host}, forward it in a session: ssh -L ${port}:localhost:${port} ${host}`,
    )
  return target.node
}

export const noSuchServer = (host: string): AppError => notFound(`server "${host}" is not registered here or you have no access to it`)

function find(
  inventory: Pick<Inventory, 'resolve'>,
  serverId: string,
  caller: Pick<Actor, 'access' | 'requested'>,
): { kind: string; node?: Node; reason?: string } {
  return resolveNode(inventory, { serverId, login: '' }, caller)
}

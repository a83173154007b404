import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { labelWire } from './label.ts'
import type { Label } from './label.ts'

export const nodeWire = z.object({
  id: z.string(),
  siteId: z._default(z.string(), ''),
  hostname: z._default(z.string(), ''),
  /** `host:port`; empty for a node on a reverse tunnel. */
  addr: z._default(z.string(), ''),
  tunnel: z._default(z.boolean(), false),
  tags: listOf(labelWire),
  /** Logins that the caller may use on this node. */
  sshLogins: listOf(z.string()),
  /** How the node is served: our agent, or an OpenSSH server that trusts the user CA. */
  subKind: z.optional(z.string()),
  /** True for one that is only shown because of the roles that the caller searches as: access has to be asked for. */
  requiresRequest: z.optional(z.boolean()),
})
export type NodeWire = z.output<typeof nodeWire>

export interface Node {
  id: string
  clusterId: string
  hostname: string
  labels: Label[]
  addr: string
  tunnel: boolean
  sshLogins: string[]
  subKind: string
  requiresRequest: boolean
}

/** `clusterId`: where it was found. */
export const toNode = (wire: NodeWire, clusterId: string): Node => ({
  id: wire.id,
  clusterId: wire.siteId || clusterId,
  hostname: wire.hostname || wire.id,
  labels: wire.tags,
  addr: wire.addr,
  tunnel: wire.tunnel,
  sshLogins: wire.sshLogins.toSorted((a, b) => (a === 'root' ? -1 : b === 'root' ? 1 : a < b ? -1 : 1)),
  subKind: wire.subKind ?? '',
  requiresRequest: wire.requiresRequest ?? false,
})

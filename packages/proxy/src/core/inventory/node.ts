/** A node as it registers itself. */
import { z } from 'zod'
import type { InventoryKind } from './entry.ts'

const shortText = z.string().max(1024)
export const nodeSchema = z.object({
  id: z.uuid(),
  hostname: z.string().min(1).max(255),
  /** `host:port`; empty behind a tunnel. */
  addr: shortText.default(''),
  tunnel: z.boolean(),
  labels: z.record(z.string().min(1).max(255), shortText).default({}),
  os: shortText.default(''),
  version: shortText.default(''),
  subKind: shortText.default(''),
  /** Logins that exist on the host; absent when the host does not tell. */
  logins: z.array(z.string().min(1).max(255)).max(10_000).optional(),
})
export type Node = Readonly<z.output<typeof nodeSchema>>
export type NodeInput = z.input<typeof nodeSchema>

const sortFields = { name: 'name', hostname: 'hostname', address: 'address', addr: 'address' } as const
type SortField = (typeof sortFields)[keyof typeof sortFields]

export const nodeKind: InventoryKind<Node, NodeInput, SortField> = {
  kind: 'node',
  version: 'v2',
  schema: nodeSchema,
  nameOf: ({ hostname }) => hostname,
  textsOf: ({ id, hostname, addr }) => [id, hostname, addr],
  wholeWords: { tunnel: ({ tunnel }) => tunnel },
  sortFields,
  standardSort: 'name',
  sortValue({ id, hostname, addr }, field) {
    if (field === 'name') return id
    return (field === 'hostname' ? hostname : addr).toLowerCase()
  },
  subKindOf: ({ subKind }) => subKind,
  specOf: ({ hostname, addr, tunnel, version }) => ({ hostname, addr, use_tunnel: tunnel, version }),
}

/** A node in the index: what lists search, sort and ask of it. */
import { hash } from 'node:crypto'
import type { LabelSet } from './label-sets.ts'
import type { Queried } from './list-predicate.ts'
import type { Node } from './node.ts'

export const nodeKind = 'node'
export const sortFields = { name: 'name', hostname: 'hostname', address: 'address', addr: 'address' } as const
export type SortField = (typeof sortFields)[keyof typeof sortFields]
const apart = '\n'

export const revisionOf = (document: string): string => hash('sha1', document, 'base64')

/** What search looks at besides the labels, in lower case, each apart. */
export const ownText = ({ id, hostname, addr }: Node): string => [id, hostname, addr].join(apart).toLowerCase()

export interface EntryFacts {
  /** Tells one document from another; empty for what stands in no heartbeat. */
  revision: string
  /** Epoch milliseconds. */
  expires: number
  /** Whether it was another proxy that heard from it last. */
  isElsewhere: boolean
}

/** Queries see it in the spelling of the wire's documents. */
export class Entry implements Queried {
  readonly node: Node
  readonly labelSet: LabelSet
  /** Of its own text. */
  readonly slot: number
  readonly revision: string
  expires: number
  isElsewhere: boolean

  constructor(node: Node, labelSet: LabelSet, slot: number, { revision, expires, isElsewhere }: EntryFacts) {
    this.node = { ...node, labels: labelSet.labels }
    this.labelSet = labelSet
    this.slot = slot
    this.revision = revision
    this.expires = expires
    this.isElsewhere = isElsewhere
  }

  get name(): string {
    return this.node.hostname
  }

  get labels(): Node['labels'] {
    return this.labelSet.labels
  }

  sortValue(field: SortField): string {
    if (field === 'name') return this.node.id
    return (field === 'hostname' ? this.node.hostname : this.node.addr).toLowerCase()
  }

  matchesWord(word: string): boolean {
    const { id, hostname, addr, tunnel } = this.node
    if (this.labelSet.text.includes(word) || id.toLowerCase().includes(word) || (word === 'tunnel' && tunnel)) return true
    return hostname.toLowerCase().includes(word) || addr.toLowerCase().includes(word)
  }

  resource(): unknown {
    const { id, hostname, addr, tunnel, labels, version, subKind } = this.node
    const { expires } = this
    return {
      kind: nodeKind,
      version: 'v2',
      sub_kind: subKind,
      metadata: {
        name: id,
        labels,
        // Made when a query asks for it, which is rare, and costs more than all the rest.
        get expires() {
          return expires < Infinity ? new Date(expires).toISOString() : undefined
        },
      },
      spec: { hostname, addr, use_tunnel: tunnel, version },
    }
  }
}

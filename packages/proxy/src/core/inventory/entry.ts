/** A node in the index: what lists search, sort and ask of it, made once. */
import { hash } from 'node:crypto'
import type { Queried } from './list-predicate.ts'
import type { Node } from './node.ts'

export interface Entry {
  readonly node: Node
  /** Tells one document from another; empty for what stands in no heartbeat. */
  readonly revision: string
  /** Epoch milliseconds. */
  expires: number
  /** Whether it was another proxy that heard from it last. */
  isElsewhere: boolean
  /** All that search looks at, in lower case, fields apart by a character that no word holds. */
  readonly text: string
  readonly sortKeys: Readonly<Record<SortField, string>>
}

export const nodeKind = 'node'
export const sortFields = { name: 'name', hostname: 'hostname', address: 'address', addr: 'address' } as const
export type SortField = (typeof sortFields)[keyof typeof sortFields]
const apart = '\n'

export const revisionOf = (document: string): string => hash('sha1', document, 'base64')

export function entryOf(node: Node, about: { revision: string; expires: number; isElsewhere: boolean }): Entry {
  const { id, hostname, addr, labels } = node
  const fields = [id, hostname, addr]
  for (const [key, value] of Object.entries(labels)) fields.push(key, value)
  return {
    node,
    ...about,
    text: fields.join(apart).toLowerCase(),
    sortKeys: { name: id, hostname: hostname.toLowerCase(), address: addr.toLowerCase() },
  }
}

export const matchesWord = ({ node, text }: Entry, word: string): boolean => text.includes(word) || (word === 'tunnel' && node.tunnel)

/** What queries see of a node, in the spelling of the wire's documents. */
export const toQueried = (entry: Entry): Queried => ({
  name: entry.node.hostname,
  labels: entry.node.labels,
  matchesWord: (word) => matchesWord(entry, word),
  resource: () => {
    const { id, hostname, addr, tunnel, labels, version, subKind } = entry.node
    return {
      kind: nodeKind,
      version: 'v2',
      sub_kind: subKind,
      metadata: { name: id, labels, ...(entry.expires < Infinity && { expires: new Date(entry.expires).toISOString() }) },
      spec: { hostname, addr, use_tunnel: tunnel, version },
    }
  },
})

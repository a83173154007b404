/** An item in the index: what lists search, sort and ask of it. */
import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { Labels } from '../access/match.ts'
import type { LabelSet } from './label-sets.ts'
import type { Queried } from './list-predicate.ts'

export const revisionOf = (document: string): string => hash('sha1', document, 'base64')

/** Of every kind: `id` is unique within it. */
export interface Registered {
  readonly id: string
  readonly labels: Labels
}

/** What lists need to know of a kind. */
export interface InventoryKind<T extends Registered, Input, Field extends string> {
  /** As queries and refusals call it, and under which it is stored. */
  readonly kind: string
  readonly version: string
  /** Must accept its own output, for that is what is stored. */
  readonly schema: z.ZodType<T, Input>
  /** What `name` is in queries. */
  nameOf(item: T): string
  /** What search looks at besides the labels. */
  textsOf(item: T): readonly string[]
  /** Search words, in lower case, that stand for a property of the item. */
  readonly wholeWords?: Readonly<Record<string, (item: T) => boolean>>
  /** From the names that requests use. */
  readonly sortFields: Readonly<Record<string, Field>>
  readonly standardSort: Field
  sortValue(item: T, field: Field): string
  readonly subKindOf?: (item: T) => string
  /** What queries see as `resource.spec`, in the spelling of the kind's documents. */
  specOf(item: T): unknown
}

/** What is known of a kind where nothing is read any more. */
export type ShownKind<T extends Registered, Field extends string> = Omit<InventoryKind<T, unknown, Field>, 'schema'>

export interface EntryFacts {
  /** Tells one document from another; empty for what stands in no heartbeat. */
  revision: string
  /** Epoch milliseconds. */
  expires: number
  /** Whether it was another proxy that heard from it last. */
  isElsewhere: boolean
}

/** Queries see it in the spelling of the wire's documents. */
export class Entry<T extends Registered, Field extends string> implements Queried {
  readonly #kind: ShownKind<T, Field>
  readonly item: T
  readonly labelSet: LabelSet
  /** Its place in the index. */
  readonly slot: number
  readonly revision: string
  expires: number
  isElsewhere: boolean

  constructor(kind: ShownKind<T, Field>, item: T, labelSet: LabelSet, slot: number, { revision, expires, isElsewhere }: EntryFacts) {
    this.#kind = kind
    this.item = { ...item, labels: labelSet.labels }
    this.labelSet = labelSet
    this.slot = slot
    this.revision = revision
    this.expires = expires
    this.isElsewhere = isElsewhere
  }

  get name(): string {
    return this.#kind.nameOf(this.item)
  }

  get labels(): Labels {
    return this.labelSet.labels
  }

  sortValue(field: Field): string {
    return this.#kind.sortValue(this.item, field)
  }

  spec(): unknown {
    return this.#kind.specOf(this.item)
  }

  resource(): unknown {
    const { expires, item } = this
    const { kind, version, subKindOf } = this.#kind
    return {
      kind,
      version,
      sub_kind: subKindOf?.(item) ?? '',
      metadata: {
        name: item.id,
        labels: item.labels,
        // Made when a query asks for it, which is rare, and costs more than all the rest.
        get expires() {
          return expires < Infinity ? new Date(expires).toISOString() : undefined
        },
      },
      spec: this.spec(),
    }
  }
}

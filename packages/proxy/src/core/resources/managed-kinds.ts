/**
 * Kinds whose documents are exported, applied and removed as a whole, by the command line and for backups. The list is
 * made in the composition root, one entry for each kind, those that others name first.
 */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit } from '../audit/audit.ts'
import { alreadyExists, badParameter } from '../errors.ts'
import { toResource, writeResource } from './documents.ts'
import type { ResourceDocument } from './documents.ts'
import type { Resource, ResourceKind, ResourceStore } from './resources.ts'

export interface ManagedKind {
  readonly kind: string
  /** Other words for it: the plural, a short form. */
  readonly aliases: readonly string[]
  /** Left out of an export of everything that has no secrets: nothing would be left of its documents. */
  readonly isSecret?: boolean
  /** Left out of an export of everything: its documents belong to the keys of this cluster and mean nothing to another one. */
  readonly isBound?: boolean
  names(): Promise<string[]>
  /** One YAML document, without the revision: it may be applied to another cluster. Throws not found. */
  read(name: string, withSecrets: boolean): Promise<string>
  /** Throws already exists unless `force`, bad parameter. `by` goes into the audit log. */
  apply(document: ResourceDocument, how: { force: boolean; by: string }): Promise<Applied>
  /** Throws not found, bad parameter. */
  remove(name: string, by: string): Promise<void>
}
export type Applied = 'created' | 'replaced'

/** The kind that a word of the command line means. Throws bad parameter. */
export function requireKind(kinds: readonly ManagedKind[], word: string): ManagedKind {
  const wanted = word.toLowerCase()
  const found = kinds.find(({ kind, aliases }) => kind === wanted || `${kind}s` === wanted || aliases.includes(wanted))
  if (!found) throw badParameter(`there is no kind "${word}" here; use one of ${kinds.map(({ kind }) => kind).join(', ')}`)
  return found
}

export const refuseExisting = (kind: string, name: string): Error =>
  alreadyExists(`${kind} "${name}" exists already; use --force to replace it`)

export interface StoredKindOptions<Spec, SpecInput> {
  definition: ResourceKind<Spec, SpecInput>
  store: ResourceStore<Spec, SpecInput>
  aliases?: readonly string[]
  audit: Pick<Audit, 'emit'>
  codes: { saved: AuditCode; removed: AuditCode }
  /** Makes a change or throws when it must not be; `next` undefined: the resource is removed. */
  guard?: (change: { name: string; next: Resource<Spec> | undefined; by: string }, act: () => Promise<void>) => Promise<void>
  /** With its secrets in the clear, for a store that hands out none. */
  opened?: (name: string) => Promise<Resource<Spec> | undefined>
}

/** A kind that is nothing but its documents. */
export function storedKind<Spec, SpecInput>(options: StoredKindOptions<Spec, SpecInput>): ManagedKind {
  const { definition, store, aliases = [], audit, codes, guard = (_change, act) => act(), opened } = options
  const { kind } = definition
  return {
    kind,
    aliases,
    names: async () => (await store.list()).map(({ metadata }) => metadata.name),
    async read(name, withSecrets) {
      const closed = await store.require(name)
      const resource = (withSecrets && (await opened?.(name))) || closed
      return writeResource(definition, { ...resource, metadata: { ...resource.metadata, revision: '' } })
    },
    async apply(document, { force, by }) {
      const resource = toResource(definition, document)
      const { name, expires } = resource.metadata
      const exists = (await store.get(name)) !== undefined
      if (exists && !force) throw refuseExisting(kind, name)
      // Stored documents are accepted as input: what a kind makes of a document it can read again.
      const input = { ...resource, metadata: { ...resource.metadata, revision: '' } } as unknown as Parameters<typeof store.create>[0]
      await guard({ name, next: resource, by }, async () => {
        await audit.emit(codes.saved, { user: by, name, ...(expires ? { expires } : {}) })
        await (exists ? store.update(input) : store.create(input))
      })
      return exists ? 'replaced' : 'created'
    },
    async remove(name, by) {
      await store.require(name)
      await guard({ name, next: undefined, by }, async () => {
        await audit.emit(codes.removed, { user: by, name })
        await store.delete(name)
      })
    },
  }
}

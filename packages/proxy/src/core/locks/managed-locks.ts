/** Locks as documents for export and import. */
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import { lockKind } from './lock.ts'
import type { LockStore } from './lock.ts'
import type { Locks } from './locks.ts'

export const managedLocks = ({ store, locks }: { store: LockStore; locks: Locks }): ManagedKind => ({
  kind: lockKind.kind,
  aliases: [],
  names: async () => (await store.list()).map(({ metadata }) => metadata.name),
  async read(name) {
    const lock = await store.require(name)
    return writeResource(lockKind, { ...lock, metadata: { ...lock.metadata, revision: '' } })
  },
  async apply(document, { force, by }) {
    const { metadata, spec } = toResource(lockKind, document)
    const exists = (await store.get(metadata.name)) !== undefined
    if (exists && !force) throw refuseExisting(lockKind.kind, metadata.name)
    await locks.put({ metadata: { ...metadata, revision: '' }, spec }, by)
    return exists ? 'replaced' : 'created'
  },
  remove: (name, by) => locks.lift(name, by),
})

/** OpenSSH servers as documents for export, import and the command line. */
import { badParameter } from '../errors.ts'
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import { openSshNodeKind, openSshSubKind } from './openssh-node.ts'
import type { OpenSshNodeStore } from './openssh-node.ts'
import type { OpenSshNodes } from './openssh-nodes.ts'

const { kind } = openSshNodeKind

export const managedOpenSshNodes = ({ store, nodes }: { store: OpenSshNodeStore; nodes: OpenSshNodes }): ManagedKind => ({
  kind,
  aliases: ['server'],
  names: async () => (await store.list()).map(({ metadata }) => metadata.name),
  async read(name) {
    const node = await store.require(name)
    return writeResource(openSshNodeKind, { ...node, metadata: { ...node.metadata, revision: '' } })
  },
  async apply(document, { force, by }) {
    if (document.subKind !== openSshSubKind)
      throw badParameter(`sub_kind: only servers of sub_kind ${openSshSubKind} are made by documents; others join with their agent`)
    const { metadata, spec } = toResource(openSshNodeKind, document)
    const exists = (await store.get(metadata.name)) !== undefined
    if (exists && !force) throw refuseExisting(kind, metadata.name)
    await nodes.put({ metadata: { ...metadata, revision: '' }, spec }, by)
    return exists ? 'replaced' : 'created'
  },
  remove: (name, by) => nodes.remove(name, by),
})

/** Resources that are no servers as documents for export, import and the command line. */
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import type { ResourceInput } from '../resources/resources.ts'
import type { Reached, Served } from './served.ts'

export function managedServed<T extends Reached, Spec, SpecInput>(
  { definition, documents, put, remove }: Served<T, Spec, SpecInput>,
  aliases: readonly string[] = [],
): ManagedKind {
  const { kind } = definition
  return {
    kind,
    aliases,
    names: async () => (await documents.list()).map(({ metadata }) => metadata.name),
    async read(name) {
      const document = await documents.require(name)
      return writeResource(definition, { ...document, metadata: { ...document.metadata, revision: '' } })
    },
    async apply(document, { force, by }) {
      const resource = toResource(definition, document)
      const { metadata } = resource
      const exists = (await documents.get(metadata.name)) !== undefined
      if (exists && !force) throw refuseExisting(kind, metadata.name)
      // Stored documents are accepted as input: what a kind makes of a document it can read again.
      const input = { ...resource, metadata: { ...metadata, revision: '' } } as unknown as ResourceInput<SpecInput>
      await put(input, by)
      return exists ? 'replaced' : 'created'
    },
    remove,
  }
}

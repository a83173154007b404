/** Connectors for export and import; secrets leave only when they are asked for. */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit } from '../audit/audit.ts'
import { toResource, writeResource } from '../documents.ts'
import { refuseExisting } from '../managed-kinds.ts'
import type { ManagedKind } from '../managed-kinds.ts'
import type { ConnectorStore } from './connector-store.ts'
import type { Connectors } from './connectors.ts'
import type { DefaultConnectors } from './default-connector.ts'

export interface ManagedConnectorDeps {
  connectors: Connectors
  defaults: Pick<DefaultConnectors, 'repair'>
  audit: Pick<Audit, 'emit'>
}

export function managedConnectors({ connectors: { oidc, saml, github }, defaults, audit }: ManagedConnectorDeps): ManagedKind[] {
  const managed = <Spec, Input>(
    store: ConnectorStore<Spec, Input>,
    codes: { saved: AuditCode; removed: AuditCode },
    aliases: readonly string[] = [],
  ): ManagedKind => {
    const { definition } = store
    return {
      kind: definition.kind,
      aliases: [...aliases, `${definition.kind}_connector`],
      names: async () => (await store.list()).map(({ metadata }) => metadata.name),
      async read(name, withSecrets) {
        const masked = await store.require(name)
        const resource = withSecrets ? ((await store.opened(name)) ?? masked) : masked
        return writeResource(definition, { ...resource, metadata: { ...resource.metadata, revision: '' } })
      },
      async apply(document, { force, by }) {
        const read = toResource(definition, document)
        const draft = await store.draft(store.inputOf({ ...read, metadata: { ...read.metadata, revision: '' } }))
        const { name, expires } = draft.metadata
        const exists = (await store.get(name)) !== undefined
        if (exists && !force) throw refuseExisting(definition.kind, name)
        await audit.emit(codes.saved, { user: by, name, ...(expires === null ? {} : { expires }) })
        await (exists ? store.update(store.inputOf(draft)) : store.create(store.inputOf(draft)))
        return exists ? 'replaced' : 'created'
      },
      async remove(name, by) {
        await store.require(name)
        await audit.emit(codes.removed, { user: by, name })
        await store.delete(name)
        await defaults.repair(by)
      },
    }
  }
  return [
    managed(oidc, { saved: 'T8100I', removed: 'T8101I' }),
    managed(saml, { saved: 'T8200I', removed: 'T8201I' }),
    managed(github, { saved: 'T8000I', removed: 'T8001I' }),
  ]
}

/** Connectors as documents for export and import. Without secrets, a mask stands for what the cluster keeps. */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit } from '../audit/audit.ts'
import { storedKind } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import type { ConnectorStore } from './connector-store.ts'
import type { Connectors } from './connectors.ts'
import type { DefaultConnectors } from './default-connector.ts'

export interface ManagedConnectorsDeps {
  connectors: Pick<Connectors, 'oidc' | 'saml' | 'github'>
  defaults: Pick<DefaultConnectors, 'repair'>
  audit: Pick<Audit, 'emit'>
}

export function managedConnectors({ connectors, defaults, audit }: ManagedConnectorsDeps): ManagedKind[] {
  const managed = <Spec, Input>(store: ConnectorStore<Spec, Input>, saved: AuditCode, removed: AuditCode): ManagedKind =>
    storedKind({
      definition: store.definition,
      store,
      opened: (name) => store.opened(name),
      audit,
      codes: { saved, removed },
      guard: async ({ next, by }, act) => {
        // Refused before it is announced.
        if (next) await store.draft(store.inputOf(next))
        await act()
        if (!next) await defaults.repair(by)
      },
    })
  return [
    managed(connectors.oidc, 'T8100I', 'T8101I'),
    managed(connectors.saml, 'T8200I', 'T8201I'),
    managed(connectors.github, 'T8000I', 'T8001I'),
  ]
}

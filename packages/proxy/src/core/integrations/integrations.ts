/** The integrations of the cluster. Every change is in the audit log before it counts. */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { awsOidc } from '@sallyport/wire/entities/integration.ts'
import type { Audit } from '../audit/audit.ts'
import { badParameter } from '../errors.ts'
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import { parseResource } from '../resources/resources.ts'
import type { ResourceInput } from '../resources/resources.ts'
import { integrationKind } from './integration.ts'
import type { Integration, IntegrationSpec, IntegrationStore } from './integration.ts'

type Input = ResourceInput<IntegrationSpec>

export interface Integrations {
  /** By name. */
  list(): Promise<Integration[]>
  /** Throws not found. */
  require(name: string): Promise<Integration>
  /** Throws already exists, bad parameter. */
  create(input: Input, by: string): Promise<Integration>
  /** Throws not found, bad parameter. */
  update(input: Input, by: string): Promise<Integration>
  /** Throws not found. */
  remove(name: string, by: string): Promise<void>
}

export function createIntegrations({ store, audit }: { store: IntegrationStore; audit: Pick<Audit, 'emit'> }): Integrations {
  const tell = (code: AuditCode, name: string, { aws_oidc: { role_arn } }: IntegrationSpec, user: string) =>
    audit.emit(code, { user, name, sub_kind: awsOidc, role_arn })
  return {
    list: store.list,
    require: store.require,
    async create(input, by) {
      const { metadata, spec } = parseResource(integrationKind, input)
      // What is refused is not announced.
      if (await store.get(metadata.name)) return store.create(input)
      await tell('IG001I', metadata.name, spec, by)
      return store.create(input)
    },
    async update(input, by) {
      const { metadata, spec } = parseResource(integrationKind, input)
      await store.require(metadata.name)
      await tell('IG002I', metadata.name, spec, by)
      return store.update(input)
    },
    async remove(name, by) {
      const { spec } = await store.require(name)
      await tell('IG003I', name, spec, by)
      await store.delete(name)
    },
  }
}

/** As documents for export, import and the command line. */
export const managedIntegrations = ({ store, integrations }: { store: IntegrationStore; integrations: Integrations }): ManagedKind => ({
  kind: integrationKind.kind,
  aliases: [],
  names: async () => (await store.list()).map(({ metadata }) => metadata.name),
  async read(name) {
    const integration = await store.require(name)
    return writeResource(integrationKind, { ...integration, metadata: { ...integration.metadata, revision: '' } })
  },
  async apply(document, { force, by }) {
    if (document.subKind !== awsOidc) throw badParameter(`sub_kind: this cluster has integrations of sub_kind ${awsOidc} only`)
    const { metadata, spec } = toResource(integrationKind, document)
    const input = { metadata: { ...metadata, revision: '' }, spec }
    const exists = (await store.get(metadata.name)) !== undefined
    if (exists && !force) throw refuseExisting(integrationKind.kind, metadata.name)
    await (exists ? integrations.update(input, by) : integrations.create(input, by))
    return exists ? 'replaced' : 'created'
  },
  remove: (name, by) => integrations.remove(name, by),
})

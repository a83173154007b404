/** Which way to sign in comes first: a part of the cluster's sign-in settings. */
import type { DefaultConnector } from '@sallyport/wire/entities/connector.ts'
import type { Audit } from '../audit/audit.ts'
import type { OpenClusterSettings } from '../cluster/cluster-settings.ts'
import { badParameter } from '../errors.ts'
import type { Connectors } from './connectors.ts'
import type { OfferedConnector } from './connectors.ts'

export interface DefaultConnectors {
  read(): DefaultConnector
  /** Throws bad parameter when there is no such connector, or when the configuration of the proxy says otherwise. */
  set(choice: Pick<DefaultConnector, 'type' | 'name'>, by: string): Promise<DefaultConnector>
  /** Before a connector is removed: throws bad parameter when it is the last way to sign in. */
  requireAnother(): Promise<void>
  /** After a connector was removed: local sign-in comes first when the default is gone. */
  repair(by: string): Promise<void>
}

const kind = 'cluster_auth_preference'
const builtIn = ['', 'local', 'passwordless', 'headless']

export interface DefaultConnectorDeps {
  settings: Pick<OpenClusterSettings, 'authPreference' | 'documents'>
  connectors: Pick<Connectors, 'offered'>
  audit: Pick<Audit, 'emit'>
}

export function createDefaultConnectors({ settings, connectors, audit }: DefaultConnectorDeps): DefaultConnectors {
  const read = (): DefaultConnector => {
    const { type, connector_name: name, allow_local_auth: localAuthEnabled } = settings.authPreference
    return { type, name, localAuthEnabled }
  }
  async function requireKnown({ type, name }: Pick<DefaultConnector, 'type' | 'name'>): Promise<void> {
    const known =
      type === 'local' ? builtIn.includes(name) : (await connectors.offered()).some((one) => one.type === type && one.name === name)
    if (!known) throw badParameter(`there is no ${type} connector "${name}"`)
  }
  async function set(choice: Pick<DefaultConnector, 'type' | 'name'>, by: string): Promise<DefaultConnector> {
    const { spec, sources, revision } = settings.documents.read(kind)
    const stored = Object.fromEntries(Object.entries(spec).filter(([field]) => sources[field] === 'dynamic'))
    const wanted = { ...stored, type: choice.type, connector_name: choice.name }
    const { changes } = settings.documents.preview(kind, wanted, revision)
    if (changes.length > 0) await audit.emit('TCAUTH001I', { user: by, changes: [...changes] })
    await settings.documents.write(kind, wanted, revision)
    return read()
  }
  return {
    read,
    async set(choice, by) {
      await requireKnown(choice)
      return set(choice, by)
    },
    async requireAnother() {
      if (!settings.authPreference.allow_local_auth && (await connectors.offered()).length < 2)
        throw badParameter('nobody could sign in without this connector: allow passwords and passkeys in the cluster settings first')
    },
    async repair(by) {
      const { type, connector_name } = settings.authPreference
      if (type === 'local' || settings.documents.read(kind).sources['type'] === 'file') return
      if (!defaultOf(await connectors.offered(), { type, connector_name })) await set({ type: 'local', name: '' }, by)
    },
  }
}

/** The default connector, by name or else the first of its type; undefined when local sign-in comes first or there is none. */
export function defaultOf(
  offered: readonly OfferedConnector[],
  { type, connector_name: name }: { type: string; connector_name: string },
): OfferedConnector | undefined {
  const ofType = offered.filter((one) => one.type === type)
  return ofType.find((one) => one.name === name) ?? (name === '' ? ofType[0] : undefined)
}

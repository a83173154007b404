/** The cluster's settings as documents for export and import: what somebody set, not what is there by default. */
import { z } from 'zod'
import type { ClusterChanges } from './cluster-changes.ts'
import { clusterDocumentNames } from './cluster-settings.ts'
import type { ClusterDocumentKind, ClusterDocuments } from './cluster-settings.ts'
import { toResource, writeResource } from '../resources/documents.ts'
import { notFound } from '../errors.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import type { ResourceKind } from '../resources/resources.ts'

type Fields = Readonly<Record<string, unknown>>

export interface ManagedSettingsDeps {
  documents: Pick<ClusterDocuments, 'read'>
  clusterChanges: ClusterChanges
}

const aliases: Readonly<Record<ClusterDocumentKind, readonly string[]>> = {
  cluster_auth_preference: ['cap', 'auth_preference'],
  cluster_networking_config: ['networking_config'],
  session_recording_config: ['recording_config'],
}

export const managedSettings = (deps: ManagedSettingsDeps): ManagedKind[] =>
  (Object.keys(clusterDocumentNames) as ClusterDocumentKind[]).map((kind) => managed(kind, deps))

function managed(kind: ClusterDocumentKind, { documents, clusterChanges }: ManagedSettingsDeps): ManagedKind {
  const name = clusterDocumentNames[kind]
  const missing = (given: string): string => `there is no ${kind} "${given}"; the only one is called "${name}"`
  const definition: ResourceKind<Fields, Fields> = {
    kind,
    versions: ['v2'],
    spec: () => z.record(z.string(), z.unknown()),
    whyNotName: (given) => (given === name ? undefined : missing(given)),
    existsText: missing,
    missingText: missing,
  }
  const requireName = (given: string): void => {
    if (given !== name) throw notFound(missing(given))
  }
  const stored = (): Fields => {
    const { spec, sources } = documents.read(kind)
    return Object.fromEntries(Object.entries(spec).filter(([field]) => sources[field] === 'dynamic'))
  }
  const change = (spec: Fields, force: boolean, by: string) =>
    clusterChanges.change({ kind, spec, revision: documents.read(kind).revision, force, by })
  return {
    kind,
    aliases: aliases[kind],
    names: () => Promise.resolve(Object.keys(stored()).length > 0 ? [name] : []),
    async read(given) {
      requireName(given)
      const metadata = { name, description: '', labels: {}, expires: null, revision: '' }
      return writeResource(definition, { kind, version: 'v2', metadata, spec: stored() })
    },
    async apply(document, { force, by }) {
      const { spec } = toResource(definition, document)
      const exists = Object.keys(stored()).length > 0
      if (exists && !force) throw refuseExisting(kind, name)
      await change(spec, force, by)
      return exists ? 'replaced' : 'created'
    },
    /** Everything goes back to its default. */
    async remove(given, by) {
      requireName(given)
      await change({}, true, by)
    },
  }
}

/** Roots and leaves as documents for export, import and the command line. */
import { z } from 'zod'
import type { Audit } from '../audit/audit.ts'
import { alreadyExists, badParameter, notFound } from '../errors.ts'
import { parseResource } from '../resources/resources.ts'
import type { ResourceKind } from '../resources/resources.ts'
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import type { Leaves } from './leaves.ts'
import { trustedClusterKind } from './trusted-cluster.ts'
import type { TrustedClusters } from './trusted-clusters.ts'

export function managedTrustedClusters(clusters: TrustedClusters): ManagedKind {
  const { kind } = trustedClusterKind
  const names = async (): Promise<string[]> => (await clusters.list()).map(({ metadata }) => metadata.name)
  return {
    kind,
    aliases: ['tc'],
    isBound: true,
    names,
    async read(name) {
      const found = await clusters.require(name)
      return writeResource(trustedClusterKind, { ...found, metadata: { ...found.metadata, revision: '' } })
    },
    async apply(document, { force, by }) {
      const draft = toResource(trustedClusterKind, document)
      const exists = (await names()).includes(draft.metadata.name)
      if (exists && !force) throw refuseExisting(kind, draft.metadata.name)
      await (exists ? clusters.update(draft, by) : clusters.create(draft, by))
      return exists ? 'replaced' : 'created'
    },
    remove: (name, by) => clusters.remove(name, by),
  }
}

/** A leaf is nothing but its name and its labels: the rest it tells itself. */
const remoteClusterKind: ResourceKind<Record<string, never>, Record<string, never>> = {
  kind: 'remote_cluster',
  versions: ['v3'],
  spec: () => z.strictObject({}),
  existsText: (name) => `cluster "${name}" exists already`,
  missingText: (name) => `cluster "${name}" is not found`,
}

export function managedRemoteClusters({ leaves, audit }: { leaves: Leaves; audit: Pick<Audit, 'emit'> }): ManagedKind {
  const { kind, missingText, existsText } = remoteClusterKind
  return {
    kind,
    aliases: ['rc'],
    isBound: true,
    names: async () => (await leaves.list()).map(({ name }) => name),
    async read(name) {
      const leaf = await leaves.find(name)
      if (!leaf) throw notFound(missingText(name))
      return writeResource(
        remoteClusterKind,
        parseResource(remoteClusterKind, { metadata: { name, labels: { ...leaf.labels } }, spec: {} }),
      )
    },
    async apply(document, { force, by }) {
      const { metadata } = toResource(remoteClusterKind, document)
      if (!(await leaves.find(metadata.name)))
        throw badParameter(`a leaf is not made by a document: it joins with a token of this cluster, then its labels can be changed`)
      if (!force) throw alreadyExists(`${existsText(metadata.name)}; use --force to change its labels`)
      await audit.emit('T7000I', { user: by, name: metadata.name })
      await leaves.label(metadata.name, metadata.labels)
      return 'replaced'
    },
    remove: (name, by) => leaves.remove(name, by),
  }
}

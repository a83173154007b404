/** The cluster's settings as administrators read and change them. */
import * as calls from '@sallyport/wire/calls/cluster-config.ts'
import type { ClusterConfigWire, SettingValue } from '@sallyport/wire/entities/cluster-config.ts'
import type { Caller } from '../../core/caller.ts'
import type { ClusterChanges } from '../../core/cluster/cluster-changes.ts'
import { clusterDocumentNames } from '../../core/cluster/cluster-settings.ts'
import type { ClusterDocumentKind, ClusterDocuments, DocumentState } from '../../core/cluster/cluster-settings.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface ClusterConfigDeps {
  documents: Pick<ClusterDocuments, 'read'>
  clusterChanges: ClusterChanges
}

export function clusterConfigRoutes({ documents, clusterChanges }: ClusterConfigDeps): Route[] {
  const toWire = (
    kind: ClusterDocumentKind,
    { spec, defaults, sources, origins, revision }: DocumentState,
    { access }: Caller,
  ): ClusterConfigWire => {
    const canEdit = access.allows(kind, 'update')
    return {
      kind,
      version: 'v2',
      metadata: { name: clusterDocumentNames[kind], revision },
      spec: spec as Record<string, SettingValue>,
      defaults: defaults as Record<string, SettingValue>,
      sources: { ...sources },
      // Everybody may know what is asked of them, but not the files of this machine.
      origins: canEdit ? { ...origins } : {},
      canEdit,
    }
  }
  const pair = (kind: ClusterDocumentKind, read: typeof calls.readNetworking, write: typeof calls.writeNetworking): Route[] => [
    on(read, ({ caller }) => toWire(kind, documents.read(kind), caller)),
    on(write, async ({ body, caller }) => toWire(kind, await clusterChanges.change({ kind, ...body, by: caller.username }), caller)),
  ]
  return [
    ...pair('cluster_auth_preference', calls.readAuthPreference, calls.writeAuthPreference),
    ...pair('cluster_networking_config', calls.readNetworking, calls.writeNetworking),
    ...pair('session_recording_config', calls.readSessionRecording, calls.writeSessionRecording),
  ]
}

/** Kubernetes clusters as the rest of the proxy knows them: listed, kept as documents, announced by agents, reached. */
import type { MasterKey } from '../../core/authorities/master-key.ts'
import type { ManagedKind } from '../../core/resources/managed-kinds.ts'
import { createResourceStore } from '../../core/resources/resources.ts'
import type { ResourceDeps } from '../../core/resources/resources.ts'
import type { Announcements } from '../../core/served/announcements.ts'
import { managedServed } from '../../core/served/managed-served.ts'
import { openServed } from '../../core/served/served.ts'
import type { ServedDeps } from '../../core/served/served.ts'
import type { KubeClusters } from './clusters.ts'
import { kubeClusterKind } from './kube-cluster.ts'
import { openKubeClusters } from './open-clusters.ts'

export type KubernetesDeps = Omit<ServedDeps<never, never>, 'store' | 'feed'> &
  ResourceDeps & { masterKey: MasterKey; announcements: Pick<Announcements, 'add'> }

export async function openKubernetes({ masterKey, announcements, ...deps }: KubernetesDeps) {
  await using opened = new AsyncDisposableStack()
  const kind = kubeClusterKind(masterKey)
  const served = opened.use(await openServed(kind, { ...deps, store: createResourceStore(kind.documents, deps) }))
  announcements.add(served)
  const clusters: KubeClusters = opened.use(openKubeClusters(served, masterKey))
  const managed: ManagedKind = managedServed(served, ['kube', 'kubernetes'])
  const disposables = opened.move()
  return { served, clusters, managed, [Symbol.asyncDispose]: () => disposables.disposeAsync() }
}

/** Both sides of trust between clusters, put together: the leaves that joined this one, and the roots that it joined. */
import type { AccessService } from '../access/access.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { Site } from '../site.ts'
import type { ResourceDeps } from '../resources/resources.ts'
import { createResourceStore } from '../resources/resources.ts'
import { createVerifier } from './assertions.ts'
import { createClusterLinks } from './cluster-links.ts'
import type { ClusterLinkDeps, ClusterLinks } from './cluster-links.ts'
import { createLeafJumps } from './leaf-jumps.ts'
import type { LeafJumps } from './leaf-jumps.ts'
import { createLeaves } from './leaves.ts'
import type { Leaves, LeavesDeps } from './leaves.ts'
import { createPassages } from './passages.ts'
import { createRemoteClusters } from './remote-clusters.ts'
import { createRootClusters } from './root-clusters.ts'
import { trustedClusterKind } from './trusted-cluster.ts'
import { createTrustedClusters } from './trusted-clusters.ts'
import type { TrustedClusterDeps, TrustedClusters } from './trusted-clusters.ts'
import { createVisitors } from './visitors.ts'
import type { VisitorDeps, Visitors } from './visitors.ts'

export interface Trust extends AsyncDisposable {
  /** Leaves and roots are to be connected to another process of this proxy. What runs here goes on. */
  sendAway(): void
  readonly leaves: Leaves
  readonly links: ClusterLinks
  readonly leafJumps: LeafJumps
  readonly trustedClusters: TrustedClusters
  readonly visitors: Visitors
}

export interface TrustDeps
  extends
    ResourceDeps,
    Omit<LeavesDeps, 'leaves' | 'links'>,
    Omit<ClusterLinkDeps, 'leaves' | 'clusterKey' | 'pingEvery'>,
    Omit<TrustedClusterDeps, 'store' | 'roots' | 'onOver' | 'state' | 'pingEvery'>,
    Omit<VisitorDeps, 'store' | 'roots' | 'verifier'> {
  access: AccessService
  locks: Pick<LockView, 'require' | 'watch'>
  settings: Pick<ClusterSettings, 'networking'>
  inventory: Pick<Inventory, 'count'>
  site: Pick<Site, 'host'>
}

/** However rarely other connections are looked at: a cluster that was cut off is noticed within half a minute. */
const pingLimit = 10_000

export function createTrust(deps: TrustDeps): Trust {
  const { settings, inventory, site, version } = deps
  const pingEvery = (): number => Math.min(settings.networking.keep_alive_interval, pingLimit)
  const state = () => ({ nodeCount: inventory.count(), publicURL: site.host, authVersion: version, proxyVersion: version })
  const known = createRemoteClusters(deps.db)
  const roots = createRootClusters(deps.db)
  const store = createResourceStore(trustedClusterKind, deps)
  const links = createClusterLinks({ ...deps, leaves: known, clusterKey: deps.authorities.clusterKey, pingEvery })
  const passages = createPassages({ ...deps, links, clusterKey: deps.authorities.clusterKey, lockView: deps.locks })
  const visitors = createVisitors({ ...deps, store, roots, verifier: createVerifier(deps) })
  const trustedClusters = createTrustedClusters({ ...deps, store, roots, state, pingEvery, onOver: visitors.over })
  return {
    leaves: createLeaves({ ...deps, leaves: known, links }),
    links,
    leafJumps: createLeafJumps({ ...deps, leaves: known, passages }),
    trustedClusters,
    visitors,
    sendAway() {
      trustedClusters.retire()
      void links.sendAway()
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([links[Symbol.asyncDispose](), trustedClusters[Symbol.asyncDispose]()])
      visitors[Symbol.dispose]()
    },
  }
}

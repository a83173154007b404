/** Trust between clusters: the documents at the leaf, joining and leaving at the root. */
import { ok } from '@sallyport/wire/call.ts'
import * as calls from '@sallyport/wire/calls/trusted-clusters.ts'
import { readResource, requireSameName, toResourceItem } from '../../core/resources/documents.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Leaves } from '../../core/trusted-clusters/leaves.ts'
import { trustedClusterKind } from '../../core/trusted-clusters/trusted-cluster.ts'
import type { TrustedClusters } from '../../core/trusted-clusters/trusted-clusters.ts'

export interface TrustedClustersDeps {
  trustedClusters: TrustedClusters
  leaves: Leaves
}

export function trustedClustersRoutes({ trustedClusters, leaves }: TrustedClustersDeps): Route[] {
  return [
    on(calls.list, async () => (await trustedClusters.list()).map((found) => toResourceItem(trustedClusterKind, found))),
    on(calls.states, () => trustedClusters.states()),
    on(calls.create, async ({ body, caller }) => {
      const draft = readResource(trustedClusterKind, body.content)
      return toResourceItem(trustedClusterKind, await trustedClusters.create(draft, caller.username))
    }),
    on(calls.update, async ({ params, body, caller }) => {
      await trustedClusters.require(params.name)
      const draft = readResource(trustedClusterKind, body.content)
      requireSameName(params.name, draft.metadata.name)
      return toResourceItem(trustedClusterKind, await trustedClusters.update(draft, caller.username))
    }),
    on(calls.remove, async ({ params, caller }) => {
      await trustedClusters.remove(params.name, caller.username)
      return ok
    }),
    on(calls.validate, async ({ body, client }) => ({ certificate_authorities: await leaves.join(body, client) })),
    on(calls.removeLeaf, async ({ params, caller }) => {
      await leaves.remove(params.clusterName, caller.username)
      return ok
    }),
  ]
}

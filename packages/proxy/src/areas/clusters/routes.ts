import * as calls from '@sallyport/wire/calls/clusters.ts'
import { noAccess } from '@sallyport/wire/acl.ts'
import type { ClusterWire } from '@sallyport/wire/entities/cluster.ts'
import type { Caller } from '../../core/caller.ts'
import type { Clock } from '../../core/clock.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import type { Factors } from '../../core/identity/factors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { AccessRequests } from '../../core/requests/access-requests.ts'
import { on } from '../../core/route.ts'
import type { Leaves } from '../../core/trusted-clusters/leaves.ts'
import type { Route } from '../../core/route.ts'
import { authTypeOf } from '../../core/users.ts'
import type { UserStore } from '../../core/users.ts'

export interface ClustersDeps {
  cluster: OwnCluster
  users: Pick<UserStore, 'get'>
  inventory: Inventory
  /** Whether they see anything that is no server. */
  seesOther: (access: Caller['access']) => boolean
  clock: Clock
  factors: Pick<Factors, 'hasPassword'>
  settings: Pick<ClusterSettings, 'sessionRecording'>
  leaves: Pick<Leaves, 'listFor'>
  requests: Pick<AccessRequests, 'capabilities'>
  locks: Pick<LockView, 'whyLocked'>
  /** Areas whose feature is off are closed to everybody. */
  assistEnabled: boolean
}

export function clustersRoutes({
  cluster,
  users,
  inventory,
  seesOther,
  clock,
  factors,
  settings,
  leaves,
  requests,
  locks,
  assistEnabled,
}: ClustersDeps): Route[] {
  const own = (): ClusterWire => ({
    name: cluster.name,
    lastConnected: new Date(clock.now()).toISOString(),
    status: 'online',
    nodeCount: inventory.count(),
    publicURL: new URL(cluster.publicUrl).host,
    authVersion: cluster.version,
    proxyVersion: cluster.version,
  })
  const context = async ({ username, access, roles, traits, assumed = [] }: Caller) => {
    const user = await users.get(username)
    const acl = access.acl()
    return {
      authType: user && authTypeOf(user) !== 'local' ? 'sso' : 'local',
      userName: username,
      userAcl: {
        ...acl,
        ...(!assistEnabled && { assist: noAccess }),
        desktopSessionRecording: acl.desktopSessionRecording && settings.sessionRecording.mode !== 'off',
      },
      cluster: own(),
      accessStrategy: access.accessStrategy,
      accessCapabilities: await requests.capabilities(username),
      ...(assumed.length > 0 && {
        accessRequestId: assumed.at(-1)?.id,
        assumedRequests: assumed.map((request) => ({
          id: request.id,
          roles: [...request.roles],
          resources: request.resources.length,
          expires: new Date(request.expires).toISOString(),
          locked: locks.whyLocked({ roles: request.roles, accessRequests: [request.id] }) ?? '',
        })),
      }),
      passwordState: (await factors.hasPassword(username)) ? 2 : 1,
      roles: [...roles],
      traits: Object.fromEntries(Object.entries(traits).map(([name, values]) => [name, [...values]])),
    }
  }
  const check = ({ access }: Caller) => ({
    hasResource: (access.allows('node', 'list') && inventory.some((node) => access.canSeeNode(node.labels))) || seesOther(access),
  })
  return [
    on(calls.clusters, async ({ caller }) => [own(), ...(await leaves.listFor(caller.access))]),
    on(calls.clusterInfo, ({ params }) => {
      requireOwnCluster(cluster, params.clusterId)
      return { ...own(), isCloud: false }
    }),
    on(calls.userContext, ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return context(caller)
    }),
    on(calls.bareUserContext, ({ caller }) => context(caller)),
    on(calls.resourcesCheck, ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return check(caller)
    }),
    on(calls.bareResourcesCheck, ({ caller }) => check(caller)),
  ]
}

import { zeroTime } from '@sallyport/wire/call.ts'
import { alerts } from '@sallyport/wire/calls/alerts.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { alertsFor } from '../../core/cluster/cluster-alert.ts'
import type { ClusterAlert, ClusterAlertStore } from '../../core/cluster/cluster-alert.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

const toWire = ({ kind, version, metadata: { name, labels, expires }, spec: { severity, message, created = zeroTime } }: ClusterAlert) => ({
  kind,
  version,
  metadata: { name, labels: { ...labels }, ...(expires !== null && { expires }) },
  spec: { severity, message, created },
})

export const alertsRoutes = ({ cluster, store }: { cluster: OwnCluster; store: Pick<ClusterAlertStore, 'list'> }): Route[] => [
  on(alerts, async ({ params, caller }) => {
    requireOwnCluster(cluster, params.clusterId)
    return { alerts: alertsFor(await store.list(), caller.access).map(toWire) }
  }),
]

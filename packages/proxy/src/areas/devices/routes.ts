/** Trusted devices. */
import * as calls from '@sallyport/wire/calls/devices.ts'
import { ok } from '@sallyport/wire/call.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { toDeviceWire } from '../../core/device-trust/device.ts'
import type { Devices } from '../../core/device-trust/devices.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface DevicesAreaDeps {
  cluster: OwnCluster
  devices: Pick<Devices, 'list' | 'add' | 'createToken' | 'remove'>
}

export function devicesRoutes({ cluster, devices }: DevicesAreaDeps): Route[] {
  return [
    on(calls.list, async ({ params }) => {
      requireOwnCluster(cluster, params.clusterId)
      return { items: (await devices.list()).map(toDeviceWire) }
    }),
    on(calls.create, async ({ params, body: { osType, assetTag }, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return toDeviceWire(await devices.add({ os_type: osType, asset_tag: assetTag }, caller.username))
    }),
    on(calls.createToken, async ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return devices.createToken(params.id, caller.username)
    }),
    on(calls.remove, async ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      await devices.remove(params.id, caller.username)
      return ok
    }),
  ]
}

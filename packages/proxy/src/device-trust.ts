/** Trusted devices, put together: their documents, the calls about them, and how one enrolls and proves itself. */
import { devicesRoutes } from './areas/devices/routes.ts'
import { createDeviceCeremony } from './core/device-trust/ceremony.ts'
import type { CeremonyDeps } from './core/device-trust/ceremony.ts'
import { deviceKind } from './core/device-trust/device.ts'
import { createDevices } from './core/device-trust/devices.ts'
import { managedDevices } from './core/device-trust/managed-devices.ts'
import type { Log } from './core/log.ts'
import { createResourceStore } from './core/resources/resources.ts'
import type { Foundations } from './foundations.ts'

export type DeviceTrustDeps = Pick<Foundations, 'db' | 'feed' | 'audit' | 'cluster'> &
  Pick<CeremonyDeps, 'certificates' | 'people' | 'clock'> & { log: Log }

export function openDeviceTrust({ db, feed, audit, cluster, certificates, people, clock, log }: DeviceTrustDeps) {
  const store = createResourceStore(deviceKind, { db, feed, clock })
  const devices = createDevices({ store, feed, audit, clock, log })
  return {
    routes: devicesRoutes({ cluster, devices }),
    managed: managedDevices({ store, devices, audit }),
    /** For those who come natively. */
    devices,
    ceremony: createDeviceCeremony({ store, certificates, people, audit, clock, clusterName: cluster.name }),
    [Symbol.dispose]: () => devices[Symbol.dispose](),
  }
}

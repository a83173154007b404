/** Locks, and the devices that one can be placed on. */
import * as calls from '@sallyport/wire/calls/locks.ts'
import { ok } from '@sallyport/wire/call.ts'
import type { LockWire } from '@sallyport/wire/entities/lock.ts'
import { parseDuration } from '../../core/access/duration.ts'
import type { Clock } from '../../core/clock.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { badParameter } from '../../core/errors.ts'
import { toDeviceWire } from '../../core/identity/devices.ts'
import type { Devices } from '../../core/identity/devices.ts'
import type { Lock } from '../../core/locks/lock.ts'
import type { FindLockEffect } from '../../core/locks/lock-effect.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { Locks } from '../../core/locks/locks.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

export interface LocksAreaDeps {
  cluster: OwnCluster
  locks: Pick<Locks, 'place' | 'lift'>
  lockView: Pick<LockView, 'all'>
  devices: Pick<Devices, 'all'>
  effect: FindLockEffect
  clock: Clock
}

export function locksRoutes({ cluster, locks, lockView, devices, effect, clock }: LocksAreaDeps): Route[] {
  const expiryAfter = (ttl: string): string | undefined => {
    if (ttl === '') return undefined
    const ms = parseDuration(ttl)
    // The largest unit of this wire is the hour.
    if (ms === undefined || ttl.includes('d')) throw badParameter(`ttl: "${ttl}" is no duration; write one such as 2h45m or 240h`)
    if (ms <= 0) throw badParameter('ttl: a lock must last for some time; leave it empty for a lock without an end')
    const expires = new Date(clock.now() + ms)
    if (Number.isNaN(expires.getTime()) || expires.getUTCFullYear() > 9999)
      throw badParameter('ttl: that is too long; leave it empty for a lock without an end')
    return expires.toISOString()
  }
  return [
    on(calls.list, ({ params }) => {
      requireOwnCluster(cluster, params.clusterId)
      return lockView.all().map(toWire)
    }),
    on(calls.put, async ({ params, body: { name, targets, message, ttl }, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      if (Object.keys(targets).length === 0) throw badParameter('at least one target field must be set')
      return toWire(await locks.place({ name: name || undefined, target: targets, message, expires: expiryAfter(ttl) }, caller.username))
    }),
    on(
      calls.effect,
      ({ params, body, caller }) => {
        requireOwnCluster(cluster, params.clusterId)
        return effect(body.targets, caller)
      },
      { merge: (own, others) => ({ ...own, terminals: others.reduce((sum, { terminals }) => sum + terminals, own.terminals) }) },
    ),
    on(calls.remove, async ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      await locks.lift(params.uuid, caller.username)
      return ok
    }),
    on(calls.mfaDevices, async ({ params }) => {
      requireOwnCluster(cluster, params.clusterId)
      return (await devices.all()).map((device) => ({ ...toDeviceWire(device), user: device.user }))
    }),
  ]
}

const toWire = ({ metadata, spec }: Lock): LockWire => ({
  name: metadata.name,
  message: spec.message,
  expires: spec.expires ?? '',
  createdAt: spec.created_at ?? '',
  createdBy: spec.created_by ?? '',
  targets: spec.target,
})

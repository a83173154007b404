/** Locks: who or what is kept out, until when, and why. */
import * as z from 'zod/mini'
import { call, okMessage, rule } from '../call.ts'
import { lockEffectWire, lockMessageMaxLength, locksWire, lockTargetsWire, lockWire, ownedMfaDevicesWire } from '../entities/lock.ts'

const name = z.string().check(z.maxLength(255))
const cluster = { clusterId: name }

/** A bare array. Locks that have expired are in it until they are forgotten. */
export const list = call({
  id: 'locks.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/locks',
  allow: rule('lock', 'list', 'read'),
  params: z.object(cluster),
  out: locksWire,
})
/** `ttl` is a duration such as 2h45m with hours as the largest unit; empty means for good. With `name` an existing lock is replaced (ours). */
export const put = call({
  id: 'locks.put',
  method: 'PUT',
  path: '/v1/webapi/sites/{clusterId}/locks',
  allow: rule('lock', 'create', 'update'),
  params: z.object(cluster),
  body: z.object({
    name: z.optional(name),
    targets: z._default(lockTargetsWire, {}),
    message: z._default(z.string().check(z.maxLength(lockMessageMaxLength)), ''),
    ttl: z._default(z.string().check(z.maxLength(64)), ''),
  }),
  out: lockWire,
})
/** Ours: what locks on these targets would do, without placing them. */
export const effect = call({
  id: 'locks.effect',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/locks/effect',
  allow: rule('lock', 'create', 'update'),
  params: z.object(cluster),
  body: z.object({ targets: z.array(lockTargetsWire).check(z.maxLength(1000)) }),
  out: lockEffectWire,
})
export const remove = call({
  id: 'locks.remove',
  method: 'DELETE',
  path: '/v1/webapi/sites/{clusterId}/locks/{uuid}',
  allow: rule('lock', 'delete'),
  params: z.object({ ...cluster, uuid: name }),
  out: okMessage,
})
/** Ours: the second-factor devices of everybody, so that one can be chosen for a lock. */
export const mfaDevices = call({
  id: 'locks.mfaDevices',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/mfadevices',
  allow: rule('user', 'list', 'read'),
  params: z.object(cluster),
  out: ownedMfaDevicesWire,
})

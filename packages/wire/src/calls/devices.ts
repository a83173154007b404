/** Trusted devices: which ones there are, and what lets one enroll. The addresses are ours. */
import * as z from 'zod/mini'
import { call, okMessage, rule } from '../call.ts'
import { assetTagForm, assetTagMaxLength, devicesWire, deviceWire, enrollableOsTypes, enrollTokenWire } from '../entities/device.ts'

const name = z.string().check(z.maxLength(255))
const cluster = { clusterId: name }

export const list = call({
  id: 'devices.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/devices',
  allow: rule('device', 'list'),
  params: z.object(cluster),
  out: devicesWire,
})
export const create = call({
  id: 'devices.create',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/devices',
  allow: rule('device', 'create'),
  params: z.object(cluster),
  body: z.object({
    osType: z.enum(enrollableOsTypes),
    assetTag: z.string().check(z.trim(), z.regex(assetTagForm), z.maxLength(assetTagMaxLength)),
  }),
  out: deviceWire,
})
/** A new token replaces the one before. An enrolled device that uses it gets a new key, and what the old one proved counts no more. */
export const createToken = call({
  id: 'devices.createToken',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/devices/{id}/token',
  allow: rule('device', 'create_enroll_token'),
  params: z.object({ ...cluster, id: name }),
  out: enrollTokenWire,
})
export const remove = call({
  id: 'devices.remove',
  method: 'DELETE',
  path: '/v1/webapi/sites/{clusterId}/devices/{id}',
  allow: rule('device', 'delete'),
  params: z.object({ ...cluster, id: name }),
  out: okMessage,
})

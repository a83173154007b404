/** Devices as documents: which ones there are, and the public key with which an enrolled one proves itself. */
import { createHash, createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { assetTagForm, assetTagMaxLength, deviceOsTypes } from '@sallyport/wire/entities/device.ts'
import type { DeviceWire } from '@sallyport/wire/entities/device.ts'
import { z } from 'zod'
import { badParameter } from '../errors.ts'
import type { Resource, ResourceKind, ResourceStore } from '../resources/resources.ts'

const time = z.iso.datetime({ offset: true })

const deviceSpec = z.strictObject({
  os_type: z.enum(deviceOsTypes),
  asset_tag: z.string().trim().max(assetTagMaxLength).regex(assetTagForm),
  source: z.literal('manual').default('manual'),
  /** Who enrolled it: it proves itself for that person alone. */
  owner: z.string().max(255).optional(),
  /** PEM; with it the device is enrolled. */
  public_key: z
    .string()
    .max(4096)
    .refine((pem) => isDeviceKey(pem), { message: 'must be a public key over P-256 in PEM' })
    .optional(),
  enrolled_at: time.optional(),
  last_seen: time.optional(),
  /** What lets it enroll, until when. */
  token: z.strictObject({ hash: z.string(), expires: time }).optional(),
})
export type DeviceSpec = z.output<typeof deviceSpec>
export type DeviceSpecInput = z.input<typeof deviceSpec>
export type Device = Resource<DeviceSpec>
export type DeviceStore = ResourceStore<DeviceSpec, DeviceSpecInput>

export const deviceKind: ResourceKind<DeviceSpec, DeviceSpecInput> = {
  kind: 'device',
  versions: ['v1'],
  spec: () => deviceSpec,
  whyNotName: (name) =>
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name) ? undefined : `"${name}" is no id of a device: use a UUID`,
  existsText: (name) => `device "${name}" already exists`,
  missingText: (name) => `device "${name}" is not found`,
  // An enroll token is told once, to one person.
  toDocument: ({ token: _token, ...spec }) => spec,
}

/** Throws bad parameter. */
export function readDeviceKey(pem: string): KeyObject {
  if (!isDeviceKey(pem)) throw badParameter('the key of a device must be one over P-256')
  return createPublicKey(pem)
}

function isDeviceKey(pem: string): boolean {
  try {
    const key = createPublicKey(pem)
    return pem.includes('BEGIN PUBLIC KEY') && key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
  } catch {
    return false
  }
}

export const isSignedBy = (publicKey: string, statement: string, signature: Buffer): boolean =>
  verify('sha256', Buffer.from(statement), createPublicKey(publicKey), signature)

const fingerprintOf = (publicKey: string): string =>
  createHash('sha256')
    .update(createPublicKey(publicKey).export({ format: 'der', type: 'spki' }))
    .digest('base64url')

/** A device that has proved itself. */
export interface TrustedDevice {
  readonly id: string
  readonly assetTag: string
  readonly osType: string
  /** For whom it proves itself. */
  readonly owner: string
  /** As certificates name it: `<id>.<fingerprint of its key>`. */
  readonly proved: string
}

/** Undefined before it is enrolled. */
export function trustedDevice({ metadata, spec }: Device): TrustedDevice | undefined {
  const { asset_tag: assetTag, os_type: osType, owner, public_key: publicKey } = spec
  if (publicKey === undefined || owner === undefined) return undefined
  return { id: metadata.name, assetTag, osType, owner, proved: `${metadata.name}.${fingerprintOf(publicKey)}` }
}

export const idOfProved = (proved: string): string => proved.slice(0, Math.max(0, proved.indexOf('.')))

/** How an event names the device that somebody comes from. */
export const trustedDeviceFields = (device: TrustedDevice | undefined) =>
  device ? { trusted_device: { device_id: device.id, asset_tag: device.assetTag, os_type: device.osType } } : {}

/** How events about a device name it. */
export const deviceFields = (id: string, { asset_tag, os_type }: Pick<DeviceSpec, 'asset_tag' | 'os_type'>) => ({
  device: { device_id: id, asset_tag, os_type, device_origin: 'manual' },
})

export const toDeviceWire = ({ metadata, spec }: Device): DeviceWire => ({
  id: metadata.name,
  osType: spec.os_type,
  assetTag: spec.asset_tag,
  enrollStatus: spec.public_key === undefined ? 'not_enrolled' : 'enrolled',
  owner: spec.owner ?? '',
  lastSeen: spec.last_seen ?? '',
  source: spec.source,
})

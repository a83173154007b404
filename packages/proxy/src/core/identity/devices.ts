/** Second-factor devices and credentials as they are stored. */
import { randomUUID } from 'node:crypto'
import type { MfaDeviceWire } from '@sallyport/wire/entities/mfa.ts'
import type { Kysely, Selectable, Transaction } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { MfaDevicesTable } from '../../store/schema/mfa-devices.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Clock } from '../clock.ts'
import { alreadyExists, badParameter } from '../errors.ts'

export type DeviceRow = Selectable<MfaDevicesTable>

/** A device whose owner has just proved that they hold it; not yet stored. */
export type NewDevice = { name: string } & (
  | { type: 'TOTP'; secret: string; step: number }
  | { type: 'WebAuthn'; credentialId: string; publicKey: string; signCount: number; resident: boolean }
)

type Query = Kysely<Database> | Transaction<Database>

export interface Devices {
  /** Oldest first. */
  of(user: string): Promise<DeviceRow[]>
  /** Of everybody, by owner. */
  all(): Promise<DeviceRow[]>
  byCredential(credentialId: string): Promise<DeviceRow | undefined>
  /** Throws bad parameter for no name, already exists for one that another device of the user has. */
  requireFreeName(user: string, name: string): Promise<void>
  secretOf(device: DeviceRow): string
  add(query: Query, user: string, device: NewDevice): Promise<DeviceRow>
  /** Notes the use of a code. False when this code, or a later one, was used before. */
  useStep(device: DeviceRow, step: number): Promise<boolean>
  /** Notes the use of a key. False when its counter did not grow since (a copy of the key, or a race). */
  useKey(device: DeviceRow, signCount: number): Promise<boolean>
}

const sealContext = (id: string): string => `mfa-device/${id}`

export function createDevices(db: Kysely<Database>, masterKey: MasterKey, clock: Clock): Devices {
  const of = (user: string): Promise<DeviceRow[]> =>
    db.selectFrom('mfa_devices').selectAll().where('user', '=', user).orderBy('added').orderBy('id').execute()
  return {
    of,
    all: () => db.selectFrom('mfa_devices').selectAll().orderBy('user').orderBy('added').orderBy('id').execute(),
    async requireFreeName(user, name) {
      if (name === '') throw badParameter('missing device name')
      if ((await of(user)).some((other) => other.name === name)) throw alreadyExists(`MFA device with name "${name}" already exists`)
    },
    byCredential: (credentialId) => db.selectFrom('mfa_devices').selectAll().where('credential_id', '=', credentialId).executeTakeFirst(),
    secretOf: (device) => masterKey.open(device.totp_secret ?? '', sealContext(device.id)).toString('utf8'),
    async add(query, user, device) {
      const id = randomUUID()
      const totp = device.type === 'TOTP' ? device : undefined
      const key = device.type === 'WebAuthn' ? device : undefined
      const row: DeviceRow = {
        id,
        user,
        name: device.name,
        type: device.type,
        added: clock.now(),
        last_used: clock.now(),
        totp_secret: totp ? masterKey.seal(Buffer.from(totp.secret), sealContext(id)) : null,
        totp_step: totp?.step ?? null,
        credential_id: key?.credentialId ?? null,
        public_key: key?.publicKey ?? null,
        sign_count: key?.signCount ?? 0,
        resident: key?.resident ? 1 : 0,
      }
      await query.insertInto('mfa_devices').values(row).execute()
      return row
    },
    async useStep(device, step) {
      const [result] = await db
        .updateTable('mfa_devices')
        .set({ totp_step: step, last_used: clock.now() })
        .where('id', '=', device.id)
        .where((where) => where.or([where('totp_step', 'is', null), where('totp_step', '<', step)]))
        .execute()
      return Number(result?.numUpdatedRows ?? 0) === 1
    },
    async useKey(device, signCount) {
      let update = db.updateTable('mfa_devices').set({ sign_count: signCount, last_used: clock.now() }).where('id', '=', device.id)
      // A key without a counter always says 0.
      update = signCount === 0 ? update.where('sign_count', '=', 0) : update.where('sign_count', '<', signCount)
      const [result] = await update.execute()
      return Number(result?.numUpdatedRows ?? 0) === 1
    },
  }
}

/** A device as lists show it. */
export const toDeviceWire = (device: DeviceRow): MfaDeviceWire => ({
  id: device.id,
  name: device.name,
  type: device.type,
  lastUsed: new Date(device.last_used).toISOString(),
  addedAt: new Date(device.added).toISOString(),
  residentKey: device.resident === 1,
})

/** What audit events tell of a device. */
export const deviceFields = (device: DeviceRow): { mfa_device_name: string; mfa_device_uuid: string; mfa_device_type: string } => ({
  mfa_device_name: device.name,
  mfa_device_uuid: device.id,
  mfa_device_type: device.type,
})

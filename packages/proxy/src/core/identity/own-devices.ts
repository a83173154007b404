/** Adding, renaming and removing second-factor devices, each with a token that was given for a fresh proof. */
import type { Kysely, Transaction } from 'kysely'
import type { SecondFactor } from '@sallyport/wire/config.ts'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { accessDenied, badParameter, notFound } from '../errors.ts'
import { deviceFields } from './devices.ts'
import type { DeviceRow, Devices } from './devices.ts'
import type { Factors } from './factors.ts'
import type { DeviceProof, NewDevices } from './new-device.ts'
import { refusedTypes } from './new-device.ts'
import type { People } from './people.ts'
import type { UserToken, UserTokenKind, UserTokens } from './user-tokens.ts'
import type { KeyUsage } from './webauthn.ts'

export interface OwnDevices {
  /** The devices of whoever recovers their account with this token. */
  ofRecovery(tokenId: string): Promise<DeviceRow[]>
  /** The token must be of `user`. */
  add(user: string, tokenId: string, device: DeviceProof & { usage: KeyUsage }): Promise<void>
  /** `device` is a name or an id. */
  remove(tokenId: string, device: string): Promise<void>
  rename(tokenId: string, device: string, name: string): Promise<void>
}

export interface OwnDevicesDeps {
  db: Kysely<Database>
  settings: Pick<ClusterSettings, 'authPreference'>
  tokens: UserTokens
  people: Pick<People, 'find'>
  factors: Pick<Factors, 'hasPassword'>
  devices: Devices
  newDevices: NewDevices
  audit: Pick<Audit, 'emit'>
}

export function createOwnDevices({ db, settings, tokens, people, factors, devices, newDevices, audit }: OwnDevicesDeps): OwnDevices {
  async function require(tokenId: string, ...kinds: UserTokenKind[]): Promise<UserToken> {
    const token = await tokens.find(tokenId)
    if (!token || !kinds.includes(token.kind) || token.lost === 'password') throw accessDenied('invalid token')
    return token
  }
  /**
   * Uses the token up with the change, so that of two changes with one token one happens. Whoever recovers an account
   * may remove several devices.
   */
  const change = (token: UserToken, work: (transaction: Transaction<Database>) => Promise<void>): Promise<void> =>
    db.transaction().execute(async (transaction) => {
      if (token.kind !== 'recovery_approved' && !(await tokens.consume(transaction, token))) throw accessDenied('invalid token')
      await work(transaction)
    })
  async function pick(user: string, device: string): Promise<{ picked: DeviceRow; others: DeviceRow[] }> {
    const owned = await devices.of(user)
    const picked = owned.find(({ name }) => name === device) ?? owned.find(({ id }) => id === device)
    if (!picked) throw notFound(`MFA device "${device}" does not exist`)
    return { picked, others: owned.filter((other) => other !== picked) }
  }
  return {
    ofRecovery: async (tokenId) => devices.of((await require(tokenId, 'recovery_approved')).user),
    async add(user, tokenId, { usage, ...proof }) {
      const token = await require(tokenId, 'privilege', 'privilege_exception')
      if (token.user !== user) throw accessDenied('invalid token')
      if (settings.authPreference.second_factor === 'off') throw badParameter(refusedTypes.off)
      if (usage === 'passwordless' && !settings.authPreference.allow_passwordless) throw badParameter(refusedTypes.passwordless)
      await devices.requireFreeName(user, proof.deviceName)
      const device = usage === 'passwordless' ? await newDevices.passwordless(token, proof) : await newDevices.secondFactor(token, proof)
      if (!device) throw badParameter('missing new mfa credentials')
      await change(token, async (transaction) => {
        const added = await devices.add(transaction, user, device)
        await audit.emit('T1006I', { user, ...deviceFields(added) })
      })
    },
    async remove(tokenId, device) {
      const token = await require(tokenId, 'privilege', 'recovery_approved')
      const { picked, others } = await pick(token.user, device)
      // Users of an identity provider have another way in.
      const hasOtherWay = !(await people.find(token.user))?.local || (await factors.hasPassword(token.user))
      const refusal = whyNotRemove(picked, others, { mode: settings.authPreference.second_factor, hasOtherWay })
      if (refusal !== undefined) throw badParameter(refusal)
      await change(token, async (transaction) => {
        await transaction.deleteFrom('mfa_devices').where('id', '=', picked.id).execute()
        await audit.emit('T1007I', { user: token.user, ...deviceFields(picked) })
      })
    },
    async rename(tokenId, device, name) {
      const token = await require(tokenId, 'privilege')
      const { picked } = await pick(token.user, device)
      await devices.requireFreeName(token.user, name)
      await change(token, async (transaction) => {
        await transaction.updateTable('mfa_devices').set({ name }).where('id', '=', picked.id).execute()
        await audit.emit('TCMFA001I', { user: token.user, ...deviceFields({ ...picked, name }), previous_name: picked.name })
      })
    },
  }
}

const lastDevice = (what: string): string =>
  `cannot delete the last ${what} device for this user; add a replacement device first to avoid getting locked out`

/** Why a device has to stay: its owner could not sign in any more. */
function whyNotRemove(
  device: DeviceRow,
  others: readonly DeviceRow[],
  { mode, hasOtherWay }: { mode: SecondFactor; hasOtherWay: boolean },
): string | undefined {
  const leaves = (type: DeviceRow['type']): boolean => others.some((other) => other.type === type)
  if (!hasOtherWay && device.resident === 1 && !others.some((other) => other.resident === 1))
    return 'cannot delete last passwordless credential for user'
  if (mode === 'on' && others.length === 0) return lastDevice('MFA')
  if (mode === 'otp' && device.type === 'TOTP' && !leaves('TOTP')) return lastDevice('otp')
  if (mode === 'webauthn' && device.type === 'WebAuthn' && !leaves('WebAuthn')) return lastDevice('webauthn')
  return undefined
}

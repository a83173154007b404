/** Single proofs of who a user is: password, code, key. Each throws FactorError when it does not hold, LockRefusal when the device is locked. */
import type { Kysely } from 'kysely'
import type { SecondFactor } from '@sallyport/wire/config.ts'
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { DeviceRow, Devices } from './devices.ts'
import { FactorError } from './lockout.ts'
import type { Passwords } from './passwords.ts'
import { allowsCodes, allowsKeys } from './second-factor-mode.ts'
import { matchTotp } from './totp.ts'
import { WebauthnError } from './webauthn.ts'
import type { KeyPurpose, Webauthn } from './webauthn.ts'

export interface Factors {
  /** The cluster's, at this moment. */
  readonly mode: SecondFactor
  /** A user without a password, or that does not exist, takes the same time. */
  password(user: string, password: string): Promise<void>
  code(user: string, code: string): Promise<DeviceRow>
  key(purpose: KeyPurpose, assertion: Assertion): Promise<DeviceRow>
  /** The key's owner, found by the key itself. */
  passwordlessKey(assertion: Assertion): Promise<DeviceRow>
  /** What the user can prove themselves with under the cluster's mode. */
  challenge(purpose: KeyPurpose): Promise<AuthenticateChallenge>
  passwordlessChallenge(): Promise<AuthenticateChallenge>
  hasPassword(user: string): Promise<boolean>
  hasDevice(user: string): Promise<boolean>
  /** A device that the cluster's mode takes as a proof. */
  hasUsableDevice(user: string): Promise<boolean>
}

export interface FactorDeps {
  db: Kysely<Database>
  clock: Clock
  settings: Pick<ClusterSettings, 'authPreference'>
  devices: Devices
  passwords: Passwords
  webauthn: Webauthn
  locks: Pick<LockView, 'require'>
}

export function createFactors({ db, clock, settings, devices, passwords, webauthn, locks }: FactorDeps): Factors {
  const credentialOf = (user: string) => db.selectFrom('credentials').selectAll().where('user', '=', user).executeTakeFirst()

  async function verifyKey(assertion: Assertion, device: DeviceRow, purpose: KeyPurpose | 'passwordless'): Promise<DeviceRow> {
    let signCount: number
    try {
      signCount = await webauthn.verifyAssertion(assertion, device, purpose)
    } catch (error) {
      if (error instanceof WebauthnError) throw new FactorError(`the key was refused: ${error.message}`, { cause: error })
      throw error
    }
    if (!(await devices.useKey(device, signCount))) throw new FactorError('the key was refused: its counter did not grow')
    locks.require({ mfaDevice: device.id })
    return device
  }

  async function usable(user: string): Promise<DeviceRow[]> {
    const { second_factor: mode } = settings.authPreference
    return (await devices.of(user)).filter(({ type }) => (type === 'TOTP' ? allowsCodes(mode) : allowsKeys(mode)))
  }

  return {
    get mode() {
      return settings.authPreference.second_factor
    },
    async password(user, password) {
      const credential = await credentialOf(user)
      if (!(await passwords.matches(credential?.password_hash, password))) throw new FactorError('wrong user name or password')
    },
    async code(user, code) {
      if (!allowsCodes(settings.authPreference.second_factor)) throw new FactorError('the cluster takes no one-time codes')
      const now = clock.now()
      for (const device of await devices.of(user)) {
        if (device.type !== 'TOTP') continue
        const step = await matchTotp(devices.secretOf(device), code, now)
        if (step === undefined) continue
        if (!(await devices.useStep(device, step))) throw new FactorError('previously used totp token')
        locks.require({ mfaDevice: device.id })
        return device
      }
      throw new FactorError('wrong one-time code')
    },
    async key(purpose, assertion) {
      if (!allowsKeys(settings.authPreference.second_factor)) throw new FactorError('the cluster takes no keys')
      const device = await devices.byCredential(assertion.id)
      if (!device || device.user !== purpose.user) throw new FactorError('the key is not registered for this user')
      return verifyKey(assertion, device, purpose)
    },
    async passwordlessKey(assertion) {
      const handle = Buffer.from(assertion.response.userHandle ?? '', 'base64url').toString('utf8')
      const owner = await db.selectFrom('credentials').select('user').where('user_handle', '=', handle).executeTakeFirst()
      const device = await devices.byCredential(assertion.id)
      if (!owner || !device || device.user !== owner.user || device.resident !== 1)
        throw new FactorError('the key is not registered for a sign-in without a password')
      return verifyKey(assertion, device, 'passwordless')
    },
    async challenge(purpose) {
      const owned = await usable(purpose.user)
      const keys = owned.filter((device) => device.type === 'WebAuthn')
      return {
        webauthn_challenge: keys.length === 0 ? null : { publicKey: await webauthn.requestOptions(purpose, keys) },
        totp_challenge: keys.length < owned.length,
      }
    },
    passwordlessChallenge: async () => ({ webauthn_challenge: { publicKey: await webauthn.passwordlessOptions() }, totp_challenge: false }),
    hasPassword: async (user) => typeof (await credentialOf(user))?.password_hash === 'string',
    hasDevice: async (user) => (await devices.of(user)).length > 0,
    hasUsableDevice: async (user) => (await usable(user)).length > 0,
  }
}

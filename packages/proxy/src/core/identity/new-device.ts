/** A device on its way into an account: it proves that its owner holds it, under the rules of the cluster. */
import type { Attestation } from '@sallyport/wire/entities/mfa.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { badParameter } from '../errors.ts'
import type { Devices, NewDevice } from './devices.ts'
import { allowsCodes, allowsKeys } from './second-factor-mode.ts'
import { matchTotp } from './totp.ts'
import type { UserToken } from './user-tokens.ts'
import { WebauthnError } from './webauthn.ts'
import type { Webauthn } from './webauthn.ts'

/** What the new device answered. An empty name takes the default of its type. */
export interface DeviceProof {
  code: string
  attestation: Attestation | undefined
  deviceName: string
}

export interface NewDevices {
  /** The device as a second factor; undefined when there is no answer of one. Throws the 400 of the contract. */
  secondFactor(token: UserToken, proof: DeviceProof): Promise<NewDevice | undefined>
  /** A key that signs in without a password. */
  passwordless(token: UserToken, proof: DeviceProof): Promise<NewDevice>
}

export interface NewDeviceDeps {
  settings: Pick<ClusterSettings, 'authPreference'>
  devices: Pick<Devices, 'byCredential'>
  webauthn: Pick<Webauthn, 'verifyAttestation'>
  clock: Clock
}

export const refusedTypes = {
  off: 'second factor disabled by cluster configuration',
  code: 'second factor TOTP not allowed by cluster',
  key: 'second factor webauthn not allowed by cluster',
  passwordless: 'sign-in without a password is not allowed by cluster',
} as const

export function createNewDevices({ settings, devices, webauthn, clock }: NewDeviceDeps): NewDevices {
  async function attested(user: string, attestation: Attestation, name: string): Promise<NewDevice> {
    try {
      const device = await webauthn.verifyAttestation(user, attestation, name || 'webauthn')
      if (device.type === 'WebAuthn' && (await devices.byCredential(device.credentialId)))
        throw new WebauthnError('the key is registered already')
      return device
    } catch (error) {
      if (error instanceof WebauthnError) throw badParameter(`invalid Webauthn response: ${error.message}`, { cause: error })
      throw error
    }
  }
  return {
    async secondFactor(token, { code, attestation, deviceName }) {
      const mode = settings.authPreference.second_factor
      if (attestation) {
        if (!allowsKeys(mode)) throw badParameter(refusedTypes.key)
        return attested(token.user, attestation, deviceName)
      }
      if (code === '') return undefined
      if (!allowsCodes(mode)) throw badParameter(refusedTypes.code)
      const step = token.totpSecret === undefined ? undefined : await matchTotp(token.totpSecret, code, clock.now())
      if (step === undefined || token.totpSecret === undefined)
        throw badParameter('the code does not match: scan the QR code shown last, and enter the code that the app shows now')
      return { type: 'TOTP', name: deviceName || 'otp', secret: token.totpSecret, step }
    },
    async passwordless(token, { attestation, deviceName }) {
      if (!attestation) throw badParameter('passwordless: missing webauthn credentials')
      const device = await attested(token.user, attestation, deviceName)
      if (device.type !== 'WebAuthn' || !device.resident)
        throw badParameter('passwordless: the key was not registered for a sign-in without a password')
      return device
    },
  }
}

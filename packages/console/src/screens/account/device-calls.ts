/** Changes to the viewer's own devices: a fresh proof gives a token, and the token pays for one change. */
import {
  addDevice,
  authenticateChallenge,
  createPrivilegeToken,
  devices,
  registerChallenge,
  removeDevice,
  renameDevice,
} from '@sallyport/wire/calls/mfa.ts'
import type { Attestation } from '@sallyport/wire/entities/mfa.ts'
import { ApiError } from '@sallyport/wire/errors.ts'
import { request } from '../../api/page.ts'
import { queryClient } from '../../api/queries.ts'
import { createCredential, getAssertion } from '../../parts/webauthn.ts'

/** For somebody who owns nothing to prove themselves with; it only adds a device. */
export const firstDeviceToken = (): Promise<string> => request(createPrivilegeToken, { body: {} })

export const tokenForCode = (code: string): Promise<string> => request(createPrivilegeToken, { body: { secondFactorToken: code } })

export async function tokenForKey(): Promise<string> {
  const { webauthn_challenge } = await request(authenticateChallenge)
  if (!webauthn_challenge) throw new Error('This account has no security key. Use the code of your authenticator app.')
  const webauthnAssertionResponse = await getAssertion(webauthn_challenge.publicKey)
  return request(createPrivilegeToken, { body: { webauthnAssertionResponse } })
}

export type NewDevice = { kind: 'app'; code: string } | { kind: 'key' | 'passkey'; credential: Attestation }

export async function newAppSecret(token: string): Promise<{ qrCode: string; secret: string }> {
  const { totp } = await request(registerChallenge, { params: { token }, body: { deviceType: 'totp' } })
  if (!totp) throw new Error('This cluster does not offer authenticator apps.')
  return totp
}

export async function newKey(token: string, kind: 'key' | 'passkey'): Promise<Attestation> {
  const deviceUsage = kind === 'passkey' ? 'passwordless' : 'mfa'
  const { webauthn } = await request(registerChallenge, { params: { token }, body: { deviceType: 'webauthn', deviceUsage } })
  if (!webauthn) throw new Error('This cluster does not offer security keys.')
  return createCredential(webauthn.publicKey)
}

const changed = (): Promise<void> => queryClient.invalidateQueries({ queryKey: [devices.id] })

export async function sendNewDevice(tokenId: string, deviceName: string, device: NewDevice): Promise<void> {
  const proof =
    device.kind === 'app'
      ? { secondFactorToken: device.code, deviceUsage: 'mfa' as const }
      : {
          webauthnRegisterResponse: device.credential,
          deviceUsage: device.kind === 'passkey' ? ('passwordless' as const) : ('mfa' as const),
        }
  await request(addDevice, { body: { tokenId, deviceName, ...proof } })
  await changed()
}

export async function sendRemoval(token: string, name: string): Promise<void> {
  await request(removeDevice, { params: { token, name } })
  await changed()
}

export async function sendRename(token: string, name: string, newName: string): Promise<void> {
  await request(renameDevice, { params: { token, name }, body: { name: newName } })
  await changed()
}

/** The proof is used up or older than five minutes: it has to be given again. */
export const isProofGone = (error: unknown): boolean => error instanceof ApiError && error.message === 'invalid token'

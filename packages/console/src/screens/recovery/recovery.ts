/** The steps back into an account: a recovery code, what is not lost, and what takes the place of what is. */
import { registerChallenge, removeDevice } from '@sallyport/wire/calls/mfa.ts'
import { completeRecovery, recoveryChallenge, recoveryDevices, startRecovery, verifyRecovery } from '@sallyport/wire/calls/recovery.ts'
import { toMfaDevice } from '@sallyport/wire/entities/mfa.ts'
import type { Attestation, AuthenticateChallenge, MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { toRecovery } from '@sallyport/wire/entities/user-token.ts'
import type { Recovery } from '@sallyport/wire/entities/user-token.ts'
import { request } from '../../api/page.ts'
import { encodePassword } from '../../parts/password-text.ts'
import { createCredential, getAssertion } from '../../parts/webauthn.ts'

export type Lost = 'password' | 'mfa'

/** A started recovery, and what it asks for next. */
export interface Started {
  token: string
  /** What proves who is there; the password where the second factor is lost. */
  challenge: AuthenticateChallenge | undefined
}

export async function start(user: string, code: string, lost: Lost): Promise<Started> {
  const { tokenId: token } = await request(startRecovery, { body: { user, code, lost } })
  return { token, challenge: lost === 'password' ? await request(recoveryChallenge, { params: { token } }) : undefined }
}

export type Proof = { kind: 'password'; password: string } | { kind: 'app'; code: string } | { kind: 'key' }

/** The token with which the rest is replaced. */
export async function verify(token: string, proof: Proof): Promise<string> {
  const params = { token }
  if (proof.kind === 'password')
    return (await request(verifyRecovery, { params, body: { password: encodePassword(proof.password) } })).tokenId
  if (proof.kind === 'app') return (await request(verifyRecovery, { params, body: { second_factor_token: proof.code } })).tokenId
  const { webauthn_challenge } = await request(recoveryChallenge, { params })
  if (!webauthn_challenge) throw new Error('This account has no security key.')
  const webauthnAssertionResponse = await getAssertion(webauthn_challenge.publicKey)
  return (await request(verifyRecovery, { params, body: { webauthnAssertionResponse } })).tokenId
}

export const replacePassword = async (token: string, password: string): Promise<Recovery> =>
  toRecovery(await request(completeRecovery, { params: { token }, body: { password: encodePassword(password) } }))

export async function newAppSecret(token: string): Promise<{ qrCode: string; secret: string }> {
  const { totp } = await request(registerChallenge, { params: { token }, body: { deviceType: 'totp' } })
  if (!totp) throw new Error('This cluster does not offer authenticator apps.')
  return totp
}

export async function replaceDevice(
  token: string,
  deviceName: string,
  device: { kind: 'app'; code: string } | { kind: 'key' },
): Promise<Recovery> {
  const proof = device.kind === 'app' ? { second_factor_token: device.code } : { webauthnCreationResponse: await newKey(token) }
  return toRecovery(await request(completeRecovery, { params: { token }, body: { deviceName, ...proof } }))
}

async function newKey(token: string): Promise<Attestation> {
  const { webauthn } = await request(registerChallenge, { params: { token }, body: { deviceType: 'webauthn', deviceUsage: 'mfa' } })
  if (!webauthn) throw new Error('This cluster does not offer security keys.')
  return createCredential(webauthn.publicKey)
}

export const devicesOf = async (token: string): Promise<MfaDevice[]> =>
  (await request(recoveryDevices, { params: { token } })).map(toMfaDevice)

export const remove = (token: string, name: string): Promise<unknown> => request(removeDevice, { params: { token, name } })

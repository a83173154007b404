/** What completes an invite or a reset: with a password and a second factor, or with a passkey alone. */
import { registerChallenge } from '@sallyport/wire/calls/mfa.ts'
import { completeUserToken, readUserToken } from '@sallyport/wire/calls/users.ts'
import type { Attestation } from '@sallyport/wire/entities/mfa.ts'
import { toRecovery, toResetToken } from '@sallyport/wire/entities/user-token.ts'
import type { Recovery, ResetToken } from '@sallyport/wire/entities/user-token.ts'
import { request } from '../../api/page.ts'
import { encodePassword } from '../../parts/password-text.ts'
import { createCredential } from '../../parts/webauthn.ts'

const reads = new Map<string, Promise<ResetToken>>()

/** Reads a token once per page: every read makes a new authenticator secret. */
export function tokenOf(tokenId: string): Promise<ResetToken> {
  const known = reads.get(tokenId) ?? request(readUserToken, { params: { tokenId } }).then((wire) => toResetToken({ ...wire, tokenId }))
  reads.set(tokenId, known)
  return known
}
export const forgetToken = (tokenId: string): void => void reads.delete(tokenId)

async function newKey(token: string, deviceUsage: 'mfa' | 'passwordless'): Promise<Attestation> {
  const { webauthn } = await request(registerChallenge, { params: { token }, body: { deviceType: 'webauthn', deviceUsage } })
  if (!webauthn) throw new Error('This cluster does not offer security keys.')
  return createCredential(webauthn.publicKey)
}

type SecondFactor = { kind: 'none' } | { kind: 'app'; code: string; deviceName: string } | { kind: 'key'; deviceName: string }

export async function completeWithPassword(token: string, password: string, factor: SecondFactor): Promise<Recovery> {
  const credential = factor.kind === 'key' ? await newKey(token, 'mfa') : undefined
  return toRecovery(
    await request(completeUserToken, {
      body: {
        token,
        password: encodePassword(password),
        ...(factor.kind === 'app' && { second_factor_token: factor.code }),
        ...(credential && { webauthnCreationResponse: credential }),
        ...(factor.kind !== 'none' && { deviceName: factor.deviceName }),
      },
    }),
  )
}

export async function completeWithPasskey(token: string, deviceName: string): Promise<Recovery> {
  const webauthnCreationResponse = await newKey(token, 'passwordless')
  return toRecovery(await request(completeUserToken, { body: { token, password: null, webauthnCreationResponse, deviceName } }))
}

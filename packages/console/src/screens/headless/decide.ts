import { decideHeadless } from '@sallyport/wire/calls/headless.ts'
import { authenticateChallenge } from '@sallyport/wire/calls/mfa.ts'
import { request } from '../../api/page.ts'
import { getAssertion } from '../../parts/webauthn.ts'

export type Decision = 'approved' | 'rejected'

/** Asks for the viewer's key, then lets the command in. */
export async function approve(id: string): Promise<void> {
  const { webauthn_challenge: challenge } = await request(authenticateChallenge)
  if (!challenge)
    throw new Error('Approving needs a passkey or security key. Add one in your account settings, then start the command again.')
  const webauthnAssertionResponse = await getAssertion(challenge.publicKey)
  await request(decideHeadless, { params: { headless_authentication_id: id }, body: { action: 'accept', webauthnAssertionResponse } })
}

export async function reject(id: string): Promise<void> {
  await request(decideHeadless, { params: { headless_authentication_id: id }, body: { action: 'denied' } })
}

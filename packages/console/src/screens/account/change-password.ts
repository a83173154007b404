import { authenticateChallengePassword } from '@sallyport/wire/calls/mfa.ts'
import { changePassword } from '@sallyport/wire/calls/users.ts'
import { request } from '../../api/page.ts'
import type { Factor } from '../../parts/factors.ts'
import { encodePassword } from '../../parts/password-text.ts'
import { getAssertion } from '../../parts/webauthn.ts'

export interface PasswordChange {
  current: string
  next: string
  factor: Factor
  /** Of the authenticator app; not read for the other factors. */
  code: string
}

/** Changes the viewer's password, with the second factor as proof. */
export async function sendPasswordChange({ current, next, factor, code }: PasswordChange): Promise<void> {
  const passwords = { old_password: encodePassword(current), new_password: encodePassword(next) }
  if (factor !== 'key') {
    await request(changePassword, { body: { ...passwords, ...(factor === 'app' && { second_factor_token: code }) } })
    return
  }
  const { webauthn_challenge } = await request(authenticateChallengePassword, { body: { pass: current } })
  if (!webauthn_challenge) throw new Error('This account has no security key. Use the code of your authenticator app.')
  const webauthnAssertionResponse = await getAssertion(webauthn_challenge.publicKey)
  await request(changePassword, { body: { ...passwords, webauthnAssertionResponse } })
}

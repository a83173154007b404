/** The ways of signing in, each ending with the answer of the proxy and the page that was asked for. */
import { beginSignIn, finishSignIn } from '@sallyport/wire/calls/mfa.ts'
import { signIn } from '@sallyport/wire/calls/session.ts'
import type { AuthProvider } from '@sallyport/wire/config.ts'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import type { SessionWire } from '@sallyport/wire/entities/session.ts'
import { pageAfterLogin } from '../../api/login-redirect.ts'
import { config, request, session } from '../../api/page.ts'
import { getAssertion } from '../../parts/webauthn.ts'
import { providerAddress } from './provider-address.ts'

export const targetPage = (): string => pageAfterLogin(window.location.search, window.location.origin)

/** The page is loaded anew: the cookie is set, and the page's own bearer comes with it. */
function enter(answer: SessionWire): void {
  session.save(answer)
  window.location.replace(targetPage())
}

export const withCode = async (user: string, pass: string, code: string): Promise<void> =>
  enter(await request(signIn, { body: { user, pass, second_factor_token: code } }))

/** The account has no key: the caller offers the other factor. */
export class NoKey extends Error {
  override readonly name = 'NoKey'
}

export async function withKey(user: string, pass: string): Promise<void> {
  const { webauthn_challenge } = await request(beginSignIn, { body: { passwordless: false, user, pass } })
  if (!webauthn_challenge) throw new NoKey('This account has no security key. Enter the code of your authenticator app.')
  const webauthnAssertionResponse = await getAssertion(webauthn_challenge.publicKey)
  enter(await request(finishSignIn, { body: { user, webauthnAssertionResponse } }))
}

export async function passkeyOptions() {
  const { webauthn_challenge } = await request(beginSignIn, { body: { passwordless: true } })
  if (!webauthn_challenge) throw new Error('This cluster does not offer passkeys.')
  return webauthn_challenge.publicKey
}
export const withAssertion = async (webauthnAssertionResponse: Assertion): Promise<void> =>
  enter(await request(finishSignIn, { body: { webauthnAssertionResponse } }))

export const withPasskey = async (): Promise<void> => withAssertion(await getAssertion(await passkeyOptions()))

export const withProvider = (provider: AuthProvider): void =>
  window.location.assign(providerAddress(provider, config.baseUrl, targetPage()))

/** Passkeys and security keys: the browser's ceremonies in the wire's form. The library comes in only when one is needed. */
import type { Assertion, Attestation, AuthenticateChallenge, RegisterChallenge } from '@sallyport/wire/entities/mfa.ts'

export const unsupportedText =
  'this browser does not support Webauthn required for hardware tokens, please try the latest version of Chrome, Firefox or Safari'
export const creatingText = 'error creating credential, please try again'
export const obtainingText = 'error obtaining credential, please try again'

type RequestOptions = NonNullable<AuthenticateChallenge['webauthn_challenge']>['publicKey']
type CreationOptions = NonNullable<RegisterChallenge['webauthn']>['publicKey']

/** The person, or this page, stopped the ceremony: nothing to report. */
export class CeremonyStopped extends Error {
  override readonly name = 'CeremonyStopped'
}

export const browserHasWebauthn = (): boolean => typeof window.PublicKeyCredential === 'function' && 'credentials' in navigator

const load = async () => {
  if (!browserHasWebauthn()) throw new Error(unsupportedText)
  return await import('@simplewebauthn/browser')
}

/** Whether the browser can offer passkeys in the list below a field. */
export const canAutofillPasskeys = async (): Promise<boolean> =>
  browserHasWebauthn() && (await (await import('@simplewebauthn/browser')).browserSupportsWebAuthnAutofill())

/**
 * Proves possession of a key. Throws an error whose message is fit to be shown, or CeremonyStopped. With `autofill` the
 * browser asks nothing by itself: it offers passkeys below the field for the user's name, and waits.
 */
export async function getAssertion(publicKey: RequestOptions, { autofill = false } = {}): Promise<Assertion> {
  const { startAuthentication } = await load()
  const { challenge, timeout, rpId, allowCredentials, userVerification } = publicKey
  const answer = await startAuthentication({
    useBrowserAutofill: autofill,
    optionsJSON: {
      challenge,
      ...(timeout !== undefined && { timeout }),
      ...(rpId !== undefined && { rpId }),
      ...(allowCredentials && { allowCredentials: allowCredentials.map(({ id }) => ({ id, type: 'public-key' as const })) }),
      ...(userVerification && { userVerification }),
    },
  }).catch((cause: unknown) => {
    throw ceremonyError(cause, obtainingText)
  })
  const { authenticatorData, clientDataJSON, signature, userHandle } = answer.response
  return {
    id: answer.id,
    rawId: answer.rawId,
    type: 'public-key',
    extensions: { appid: answer.clientExtensionResults.appid ?? false },
    response: { authenticatorData, clientDataJSON, signature, userHandle: userHandle ?? '' },
  }
}

/** Makes a new key. Throws as getAssertion does. */
export async function createCredential(publicKey: CreationOptions): Promise<Attestation> {
  const { startRegistration } = await load()
  const { challenge, rp, user, pubKeyCredParams, timeout, excludeCredentials, authenticatorSelection } = publicKey
  const verification = authenticatorSelection?.userVerification === 'required' ? 'required' : 'discouraged'
  const resident = authenticatorSelection?.requireResidentKey ?? false
  const answer = await startRegistration({
    optionsJSON: {
      challenge,
      rp: { name: rp.name, ...(rp.id !== undefined && { id: rp.id }) },
      user: { id: user.id, name: user.name, displayName: user.displayName },
      pubKeyCredParams,
      ...(timeout !== undefined && { timeout }),
      ...(excludeCredentials && { excludeCredentials: excludeCredentials.map(({ id }) => ({ id, type: 'public-key' as const })) }),
      authenticatorSelection: {
        requireResidentKey: resident,
        residentKey: resident ? 'required' : 'discouraged',
        userVerification: verification,
      },
      attestation: publicKey.attestation === 'direct' ? 'direct' : 'none',
    },
  }).catch((cause: unknown) => {
    throw ceremonyError(cause, creatingText)
  })
  return {
    id: answer.id,
    rawId: answer.rawId,
    type: 'public-key',
    extensions: { appid: answer.clientExtensionResults.appid ?? false },
    response: { attestationObject: answer.response.attestationObject, clientDataJSON: answer.response.clientDataJSON },
  }
}

/** Ends the ceremony that is waiting for the person, if there is one. */
export async function stopCeremony(): Promise<void> {
  const { WebAuthnAbortService } = await import('@simplewebauthn/browser')
  WebAuthnAbortService.cancelCeremony()
}

function ceremonyError(cause: unknown, text: string): Error {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'ERROR_CEREMONY_ABORTED') return new CeremonyStopped('stopped', { cause })
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return new Error('this key is already registered, please use another one', { cause })
  return new Error(text, { cause })
}

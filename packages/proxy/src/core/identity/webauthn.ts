/** Hardware keys and passkeys: challenges, and the verification of what a browser answers to them. */
import { z } from 'zod'
import type { Assertion, Attestation, creationOptionsWire, requestOptionsWire } from '@sallyport/wire/entities/mfa.ts'
import { mfaChallengeTtl } from '@sallyport/wire/limits.ts'
import type { Site } from '../site.ts'
import type { Challenges } from './challenges.ts'
import type { DeviceRow, NewDevice } from './devices.ts'

type RequestOptions = z.output<typeof requestOptionsWire>
type CreationOptions = z.output<typeof creationOptionsWire>

/**
 * Loaded when the first key comes: it is a sixth of what a start would otherwise load. It wants the other one to be there
 * before it, and imports that itself; bundled, the order of its imports is not kept.
 */
async function library() {
  await import('reflect-metadata')
  return import('@simplewebauthn/server')
}

/** COSE numbers of ES, RS, PS and EdDSA, in the order in which they are offered. */
const algorithms = [-7, -35, -36, -257, -258, -259, -37, -38, -39, -8]

/** The answer of a key is not valid for what it was asked. The text is for the log. */
export class WebauthnError extends Error {
  override readonly name = 'WebauthnError'
}

export type KeyUsage = 'mfa' | 'passwordless'

/** What a known user's key is asked for. */
export type KeyPurpose = { for: 'login' | 'confirm' | 'recover'; user: string } | { for: 'session'; user: string; window: string }

export interface Webauthn {
  requestOptions(purpose: KeyPurpose, keys: readonly DeviceRow[]): Promise<RequestOptions>
  /** For a sign-in without a user name. */
  passwordlessOptions(): Promise<RequestOptions>
  creationOptions(user: { name: string; handle: string }, usage: KeyUsage, keys: readonly DeviceRow[]): Promise<CreationOptions>
  /** The key's new counter. Throws WebauthnError. The challenge is gone afterwards, whatever comes out. */
  verifyAssertion(assertion: Assertion, key: DeviceRow, purpose: KeyPurpose | 'passwordless'): Promise<number>
  /** The device to store. Throws WebauthnError. */
  verifyAttestation(user: string, attestation: Attestation, name: string): Promise<NewDevice>
}

export function createWebauthn(site: Site, challenges: Challenges): Webauthn {
  const request = async (keys: readonly DeviceRow[] | undefined, verification: 'discouraged' | 'required') => {
    const allowCredentials = keys?.map((key) => ({ id: key.credential_id ?? '' }))
    const options = await (
      await library()
    ).generateAuthenticationOptions({
      rpID: site.rpId,
      timeout: mfaChallengeTtl,
      userVerification: verification,
      ...(allowCredentials ? { allowCredentials } : {}),
    })
    return plain<RequestOptions>(options)
  }
  return {
    async requestOptions(purpose, keys) {
      const options = await request(keys, 'discouraged')
      await challenges.keep(purpose, options.challenge, 'mfa')
      return options
    },
    async passwordlessOptions() {
      const { allowCredentials: _none, ...options } = await request(undefined, 'required')
      await challenges.keep({ for: 'passwordless', challenge: options.challenge }, options.challenge, 'passwordless')
      return options
    },
    async creationOptions(user, usage, keys) {
      const passwordless = usage === 'passwordless'
      const options = await (
        await library()
      ).generateRegistrationOptions({
        rpName: 'Sallyport',
        rpID: site.rpId,
        userName: user.name,
        userDisplayName: user.name,
        userID: new TextEncoder().encode(user.handle),
        timeout: mfaChallengeTtl,
        attestationType: 'none',
        excludeCredentials: keys.filter((key) => (key.resident === 1) === passwordless).map((key) => ({ id: key.credential_id ?? '' })),
        authenticatorSelection: {
          residentKey: passwordless ? 'required' : 'discouraged',
          requireResidentKey: passwordless,
          userVerification: passwordless ? 'required' : 'discouraged',
        },
        supportedAlgorithmIDs: algorithms,
      })
      await challenges.keep({ for: 'register', user: user.name }, options.challenge, usage)
      return plain<CreationOptions>(options)
    },
    async verifyAssertion(assertion, key, purpose) {
      const passwordless = purpose === 'passwordless'
      const client = readClientData(assertion.response.clientDataJSON, site.rpId)
      const kept = await challenges.take(passwordless ? { for: 'passwordless', challenge: client.challenge } : purpose)
      if (!kept) throw new WebauthnError('there is no outstanding challenge')
      const { id, rawId, response } = assertion
      const result = await verified(async () =>
        (await library()).verifyAuthenticationResponse({
          response: {
            id,
            rawId,
            type: 'public-key',
            clientExtensionResults: {},
            response: { ...response, userHandle: response.userHandle ?? undefined } as never,
          },
          expectedChallenge: kept.challenge,
          expectedOrigin: client.origin,
          expectedRPID: site.rpId,
          credential: {
            id: key.credential_id ?? '',
            publicKey: new Uint8Array(Buffer.from(key.public_key ?? '', 'base64url')),
            counter: key.sign_count,
          },
          requireUserVerification: passwordless,
        }),
      )
      if (!result.verified) throw new WebauthnError('the signature does not match')
      return result.authenticationInfo.newCounter
    },
    async verifyAttestation(user, attestation, name) {
      const client = readClientData(attestation.response.clientDataJSON, site.rpId)
      const kept = await challenges.take({ for: 'register', user })
      if (!kept) throw new WebauthnError('there is no outstanding challenge')
      const { id, rawId, response } = attestation
      const result = await verified(async () =>
        (await library()).verifyRegistrationResponse({
          response: { id, rawId, type: 'public-key', clientExtensionResults: {}, response },
          expectedChallenge: kept.challenge,
          expectedOrigin: client.origin,
          expectedRPID: site.rpId,
          requireUserVerification: kept.usage === 'passwordless',
          supportedAlgorithmIDs: algorithms,
        }),
      )
      if (!result.verified) throw new WebauthnError('the attestation does not match')
      const { credential } = result.registrationInfo
      return {
        type: 'WebAuthn',
        name,
        credentialId: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        signCount: credential.counter,
        resident: kept.usage === 'passwordless',
      }
    },
  }
}

const clientData = z.object({ origin: z.string(), challenge: z.string() })

/** Where the browser was and what it was asked. The origin's host must be the relying party's or below it. */
function readClientData(encoded: string, rpId: string): z.output<typeof clientData> {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(encoded, 'base64url').toString('utf8'))
  } catch (cause) {
    throw new WebauthnError('the client data is no JSON', { cause })
  }
  const parsed = clientData.safeParse(json)
  const host = parsed.success ? URL.parse(parsed.data.origin)?.hostname : undefined
  if (!parsed.success || host === undefined) throw new WebauthnError('the client data has no origin or challenge')
  if (host !== rpId && !host.endsWith(`.${rpId}`)) throw new WebauthnError(`the origin ${parsed.data.origin} is not of ${rpId}`)
  return parsed.data
}

async function verified<T>(verify: () => Promise<T>): Promise<T> {
  try {
    return await verify()
  } catch (cause) {
    throw new WebauthnError(cause instanceof Error ? cause.message : 'the answer of the key cannot be read', { cause })
  }
}

// The library's option types and the contract's say the same in different words.
const plain = <T>(options: unknown): T => JSON.parse(JSON.stringify(options)) as T

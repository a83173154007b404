/** Second-factor challenges, assertions and devices. Binary values are base64url without padding (padded base64 is read too). */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { wireDate } from './wire-date.ts'

/** A value that a peer may send as null or leave out. */
const orNull = <T extends z.ZodMiniType>(schema: T) =>
  z.pipe(
    z.nullish(schema),
    z.transform((value) => value ?? null),
  )

const credentialDescriptor = z.looseObject({ type: z._default(z.string(), 'public-key'), id: z.string() })

export const requestOptionsWire = z.looseObject({
  challenge: z.string(),
  timeout: z.optional(z.number()),
  rpId: z.optional(z.string()),
  allowCredentials: z.optional(z.array(credentialDescriptor)),
  userVerification: z.optional(z.enum(['discouraged', 'preferred', 'required'])),
})

/** Answer of every "begin" call: what the user may prove themselves with. */
export const authenticateChallengeWire = z.object({
  webauthn_challenge: orNull(z.object({ publicKey: requestOptionsWire })),
  totp_challenge: z._default(z.boolean(), false),
})
export type AuthenticateChallenge = z.output<typeof authenticateChallengeWire>

export const creationOptionsWire = z.looseObject({
  challenge: z.string(),
  rp: z.looseObject({ id: z.optional(z.string()), name: z.string() }),
  user: z.looseObject({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: z.literal('public-key'), alg: z.number() })),
  timeout: z.optional(z.number()),
  excludeCredentials: z.optional(z.array(credentialDescriptor)),
  authenticatorSelection: z.optional(
    z.looseObject({ requireResidentKey: z.optional(z.boolean()), userVerification: z.optional(z.string()) }),
  ),
  attestation: z.optional(z.string()),
})

export const registerChallengeWire = z.object({
  totp: orNull(
    z.object({
      qrCode: z.string(),
      /** Ours: the secret inside the QR code, in base32, for those who cannot scan it. */
      secret: z._default(z.string(), ''),
    }),
  ),
  webauthn: orNull(z.object({ publicKey: creationOptionsWire })),
})
export type RegisterChallenge = z.output<typeof registerChallengeWire>

const b64 = z.string().check(z.maxLength(64 * 1024))
const extensions = z.optional(z.looseObject({ appid: z.optional(z.boolean()) }))

export const assertionWire = z.object({
  id: b64,
  rawId: b64,
  type: z.literal('public-key'),
  extensions,
  response: z.object({ authenticatorData: b64, clientDataJSON: b64, signature: b64, userHandle: z.nullish(b64) }),
})
export type Assertion = z.output<typeof assertionWire>

export const attestationWire = z.object({
  id: b64,
  rawId: b64,
  type: z.literal('public-key'),
  extensions,
  response: z.object({ attestationObject: b64, clientDataJSON: b64 }),
})
export type Attestation = z.output<typeof attestationWire>

export const mfaDeviceWire = z.object({
  id: z.string(),
  name: z.string(),
  type: z._default(z.string(), ''),
  lastUsed: z._default(z.string(), ''),
  addedAt: z._default(z.string(), ''),
  /** Ours: the device can sign in without a password. */
  residentKey: z.optional(z.boolean()),
})
export type MfaDeviceWire = z.output<typeof mfaDeviceWire>
export const mfaDevicesWire = listOf(mfaDeviceWire)

export interface MfaDevice {
  id: string
  name: string
  description: 'Authenticator App' | 'Hardware Key' | 'unknown device'
  /** Undefined where the wire sends a time of year 1 ("never"). */
  registeredDate: Date | undefined
  lastUsedDate: Date | undefined
  /** Signs in without a password; undefined when the proxy does not tell. */
  passwordless: boolean | undefined
}

const descriptions: Record<string, MfaDevice['description']> = {
  TOTP: 'Authenticator App',
  WebAuthn: 'Hardware Key',
  U2F: 'Hardware Key',
}

export const toMfaDevice = (wire: MfaDeviceWire): MfaDevice => ({
  id: wire.id,
  name: wire.name,
  description: descriptions[wire.type] ?? 'unknown device',
  registeredDate: wireDate(wire.addedAt),
  lastUsedDate: wireDate(wire.lastUsed),
  passwordless: wire.residentKey,
})

/**
 * Ours: getting back into an account whose password or second factor is lost, where the cluster gives recovery codes.
 * `password` fields are base64 of the UTF-8 bytes.
 */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { assertionWire, attestationWire, authenticateChallengeWire, mfaDevicesWire } from '../entities/mfa.ts'
import { recoveryCodesWire, recoveryTokenWire, recoveryWire } from '../entities/user-token.ts'
import { deviceNameMaxLength } from '../limits.ts'

const tokenId = z.string().check(z.maxLength(128))
const token = z.object({ token: tokenId })
const passwordBase64 = z.base64().check(z.maxLength(1024))
const code = z.string().check(z.maxLength(64))

/** Uses a recovery code up. `mfa` is the second factor. */
export const startRecovery = call({
  id: 'recovery.start',
  method: 'POST',
  path: '/v1/webapi/account/recovery',
  allow: 'public',
  limit: 'low',
  csrf: true,
  body: z.object({
    user: z.string().check(z.maxLength(255)),
    code: z.string().check(z.maxLength(255)),
    lost: z.enum(['password', 'mfa']),
  }),
  out: recoveryTokenWire,
})
/** What the second factor of a lost password is asked for. */
export const recoveryChallenge = call({
  id: 'recovery.challenge',
  method: 'POST',
  path: '/v1/webapi/mfa/token/{token}/authenticatechallenge',
  allow: 'public',
  limit: 'low',
  params: token,
  out: authenticateChallengeWire,
})
/** Proves what is not lost; the answer is the token with which the rest is replaced. */
export const verifyRecovery = call({
  id: 'recovery.verify',
  method: 'POST',
  path: '/v1/webapi/account/recovery/{token}',
  allow: 'public',
  limit: 'low',
  csrf: true,
  params: token,
  body: z.object({
    password: z.nullish(passwordBase64),
    second_factor_token: z.nullish(code),
    webauthnAssertionResponse: z.nullish(assertionWire),
  }),
  out: recoveryTokenWire,
})
/** Sets the new password, or adds the new device. Nobody is signed in by it. */
export const completeRecovery = call({
  id: 'recovery.complete',
  method: 'PUT',
  path: '/v1/webapi/account/recovery/{token}',
  allow: 'public',
  limit: 'low',
  csrf: true,
  params: token,
  body: z.object({
    password: z.nullish(passwordBase64),
    second_factor_token: z.nullish(code),
    webauthnCreationResponse: z.nullish(attestationWire),
    deviceName: z.nullish(z.string().check(z.maxLength(deviceNameMaxLength))),
  }),
  out: recoveryWire,
})
/** Of an account whose second factor is recovered: the lost ones can be removed with the same token. */
export const recoveryDevices = call({
  id: 'recovery.devices',
  method: 'GET',
  path: '/v1/webapi/mfa/token/{token}/devices',
  allow: 'public',
  limit: 'low',
  params: token,
  out: mfaDevicesWire,
})
/** When the caller's codes were made; nothing when there are none. */
export const recoveryCodes = call({
  id: 'recovery.codes',
  method: 'GET',
  path: '/v1/webapi/mfa/recoverycodes',
  allow: 'session',
  out: z.object({ created: z.optional(z.string()) }),
})
/** New codes for the caller, in place of the old ones. Needs a token of a fresh proof. */
export const createRecoveryCodes = call({
  id: 'recovery.createCodes',
  method: 'POST',
  path: '/v1/webapi/mfa/recoverycodes',
  allow: 'session',
  body: z.object({ tokenId }),
  out: recoveryCodesWire,
})

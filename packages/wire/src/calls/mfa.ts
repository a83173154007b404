/** Second-factor challenges and devices. */
import * as z from 'zod/mini'
import { call } from '../call.ts'
import { assertionWire, authenticateChallengeWire, mfaDevicesWire, registerChallengeWire } from '../entities/mfa.ts'
import { sessionWire } from '../entities/session.ts'

const name = z.string().check(z.maxLength(255))
const secret = z.string().check(z.maxLength(1024))
const token = z.object({ token: z.string().check(z.maxLength(128)) })

export const beginSignIn = call({
  id: 'mfa.beginSignIn',
  method: 'POST',
  path: '/v1/webapi/mfa/login/begin',
  allow: 'public',
  limit: 'low',
  body: z.object({ passwordless: z._default(z.boolean(), false), user: z.optional(name), pass: z.optional(secret) }),
  out: authenticateChallengeWire,
})
export const finishSignIn = call({
  id: 'mfa.finishSignIn',
  method: 'POST',
  path: '/v1/webapi/mfa/login/finishsession',
  allow: 'public',
  limit: 'low',
  body: z.object({ user: z.optional(name), webauthnAssertionResponse: assertionWire }),
  out: sessionWire,
})
/** Challenge for the signed-in user. */
export const authenticateChallenge = call({
  id: 'mfa.authenticateChallenge',
  method: 'POST',
  path: '/v1/webapi/mfa/authenticatechallenge',
  allow: 'session',
  out: authenticateChallengeWire,
})
/** The same after a password check; a lockout here signs the user out. */
export const authenticateChallengePassword = call({
  id: 'mfa.authenticateChallengePassword',
  method: 'POST',
  path: '/v1/webapi/mfa/authenticatechallenge/password',
  allow: 'session',
  body: z.object({ pass: secret }),
  out: authenticateChallengeWire,
})
export const registerChallenge = call({
  id: 'mfa.registerChallenge',
  method: 'POST',
  path: '/v1/webapi/mfa/token/{token}/registerchallenge',
  allow: 'public',
  limit: 'low',
  params: token,
  body: z.object({ deviceType: z.string().check(z.maxLength(32)), deviceUsage: z.optional(z.enum(['', 'mfa', 'passwordless'])) }),
  out: registerChallengeWire,
})
export const devices = call({
  id: 'mfa.devices',
  method: 'GET',
  path: '/v1/webapi/mfa/devices',
  allow: 'session',
  out: mfaDevicesWire,
})

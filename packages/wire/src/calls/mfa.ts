/** Second-factor challenges and devices. */
import * as z from 'zod/mini'
import { call, okMessage } from '../call.ts'
import { assertionWire, attestationWire, authenticateChallengeWire, mfaDevicesWire, registerChallengeWire } from '../entities/mfa.ts'
import { sessionWire } from '../entities/session.ts'
import { deviceNameMaxLength } from '../limits.ts'

const name = z.string().check(z.maxLength(255))
const secret = z.string().check(z.maxLength(1024))
const tokenId = z.string().check(z.maxLength(128))
const token = z.object({ token: tokenId })
const code = z.string().check(z.maxLength(64))
const deviceName = z.string().check(z.maxLength(deviceNameMaxLength))
const usage = z.enum(['', 'mfa', 'passwordless'])

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
  body: z.object({ deviceType: z.string().check(z.maxLength(32)), deviceUsage: z.optional(usage) }),
  out: registerChallengeWire,
})
export const devices = call({
  id: 'mfa.devices',
  method: 'GET',
  path: '/v1/webapi/mfa/devices',
  allow: 'session',
  out: mfaDevicesWire,
})
/**
 * Proves again who is signed in; the answer is the id of a token for changes to their devices. Without a proof it is
 * given to those who own no device, and may only add one.
 */
export const createPrivilegeToken = call({
  id: 'mfa.createPrivilegeToken',
  method: 'POST',
  path: '/v1/webapi/users/privilege/token',
  allow: 'session',
  body: z._default(z.object({ secondFactorToken: z.nullish(code), webauthnAssertionResponse: z.nullish(assertionWire) }), {}),
  out: z.string(),
})
export const addDevice = call({
  id: 'mfa.addDevice',
  method: 'POST',
  path: '/v1/webapi/mfa/devices',
  allow: 'session',
  body: z.object({
    tokenId,
    deviceName,
    secondFactorToken: z.nullish(code),
    webauthnRegisterResponse: z.nullish(attestationWire),
    deviceUsage: z.nullish(usage),
  }),
  out: okMessage,
})
const ownDevice = z.object({ token: tokenId, name })
/** By name or id. */
export const removeDevice = call({
  id: 'mfa.removeDevice',
  method: 'DELETE',
  path: '/v1/webapi/mfa/token/{token}/devices/{name}',
  allow: 'public',
  limit: 'low',
  params: ownDevice,
  out: okMessage,
})
/** Ours. By name or id. */
export const renameDevice = call({
  id: 'mfa.renameDevice',
  method: 'PUT',
  path: '/v1/webapi/mfa/token/{token}/devices/{name}',
  allow: 'public',
  limit: 'low',
  params: ownDevice,
  body: z.object({ name: deviceName }),
  out: okMessage,
})

const target = {
  node: z.nullish(z.object({ node_name: name, login: name })),
  database: z.nullish(z.object({ service_name: name, protocol: name, username: z.nullish(name), database_name: z.nullish(name) })),
  windows_desktop: z.nullish(z.object({ desktop_name: name, login: name })),
  kube: z.nullish(z.object({ cluster_name: name })),
}
const required = z.object({ required: z.boolean() })

/** Whether a session on exactly one target asks for a second factor. */
export const mfaRequired = call({
  id: 'mfa.required',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/mfa/required',
  allow: 'session',
  params: z.object({ clusterId: name }),
  body: z.object(target),
  out: required,
})
/** The same in the root cluster, without naming it. */
export const bareMfaRequired = call({
  id: 'mfa.bareRequired',
  method: 'POST',
  path: '/v1/webapi/mfa/required',
  allow: 'session',
  body: z.object(target),
  out: required,
})

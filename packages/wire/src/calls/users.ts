/** Passwords, invite and reset tokens. `password` fields are base64 of the UTF-8 bytes. */
import * as z from 'zod/mini'
import { call, okMessage, rule } from '../call.ts'
import { assertionWire, attestationWire } from '../entities/mfa.ts'
import { createdUserTokenWire, recoveryWire, resetTokenWire } from '../entities/user-token.ts'
import { deviceNameMaxLength } from '../limits.ts'

const passwordBase64 = z.base64().check(z.maxLength(1024))
const code = z.string().check(z.maxLength(64))

export const changePassword = call({
  id: 'users.changePassword',
  method: 'PUT',
  path: '/v1/webapi/users/password',
  allow: 'session',
  body: z.object({
    old_password: passwordBase64,
    new_password: passwordBase64,
    second_factor_token: z.nullish(code),
    webauthnAssertionResponse: z.nullish(assertionWire),
  }),
  out: okMessage,
})
/** Makes an invite or reset link; the user's password and devices are gone at once. */
export const createUserToken = call({
  id: 'users.createUserToken',
  method: 'POST',
  path: '/v1/webapi/users/password/token',
  allow: rule('user', 'update'),
  body: z.object({ name: z.string().check(z.maxLength(255)), type: z.optional(z.enum(['invite', 'password', ''])) }),
  out: createdUserTokenWire,
})
/** Reads a token. Every read makes a new authenticator secret for it. */
export const readUserToken = call({
  id: 'users.readUserToken',
  method: 'GET',
  path: '/v1/webapi/users/password/token/{tokenId}',
  allow: 'public',
  limit: 'low',
  params: z.object({ tokenId: z.string().check(z.maxLength(128)) }),
  out: resetTokenWire,
})
/** Completes an invite or reset and signs in by cookie. */
export const completeUserToken = call({
  id: 'users.completeUserToken',
  method: 'PUT',
  path: '/v1/webapi/users/password/token',
  allow: 'public',
  limit: 'low',
  csrf: true,
  body: z.object({
    token: z.string().check(z.maxLength(128)),
    password: z.nullish(passwordBase64),
    second_factor_token: z.nullish(code),
    webauthnCreationResponse: z.nullish(attestationWire),
    deviceName: z.nullish(z.string().check(z.maxLength(deviceNameMaxLength))),
  }),
  out: recoveryWire,
})

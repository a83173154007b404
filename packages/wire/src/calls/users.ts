/** Users, passwords, invite and reset tokens. `password` fields are base64 of the UTF-8 bytes. */
import * as z from 'zod/mini'
import { call, okMessage, rule } from '../call.ts'
import { assertionWire, attestationWire } from '../entities/mfa.ts'
import { createdUserTokenWire, recoveryWire, resetTokenWire } from '../entities/user-token.ts'
import { userChangeWire, userItemsWire, userWire } from '../entities/user.ts'
import { deviceNameMaxLength, userTokenMinTtl, userTokenTtl } from '../limits.ts'

const passwordBase64 = z.base64().check(z.maxLength(1024))
const code = z.string().check(z.maxLength(64))
const name = z.object({ name: z.string().check(z.maxLength(255)) })

/** A bare array. */
export const list = call({
  id: 'users.list',
  method: 'GET',
  path: '/v1/webapi/users',
  allow: rule('user', 'list', 'read'),
  out: userItemsWire,
})
export const read = call({
  id: 'users.read',
  method: 'GET',
  path: '/v1/webapi/users/{name}',
  allow: rule('user', 'read'),
  params: name,
  out: userWire,
})
/** Makes a user who cannot sign in before a link was made and used. */
export const create = call({
  id: 'users.create',
  method: 'POST',
  path: '/v1/webapi/users',
  allow: rule('user', 'create'),
  body: userChangeWire,
  out: userWire,
})
export const update = call({
  id: 'users.update',
  method: 'PUT',
  path: '/v1/webapi/users',
  allow: rule('user', 'update'),
  body: userChangeWire,
  out: userWire,
})
export const remove = call({
  id: 'users.remove',
  method: 'DELETE',
  path: '/v1/webapi/users/{name}',
  allow: rule('user', 'delete'),
  params: name,
  out: okMessage,
})

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
/** Makes an invite or reset link; the user's password and devices are gone at once. How long it lives is ours to ask for; a `ttl` that others send is ignored. */
export const createUserToken = call({
  id: 'users.createUserToken',
  method: 'POST',
  path: '/v1/webapi/users/password/token',
  allow: rule('user', 'update'),
  body: z.object({
    name: z.string().check(z.maxLength(255)),
    type: z.optional(z.enum(['invite', 'password', ''])),
    lifetimeSeconds: z.nullish(z.int().check(z.minimum(userTokenMinTtl / 1000), z.maximum(userTokenTtl.invite.max / 1000))),
  }),
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

/** Join tokens, and the script with which a machine joins. */
import * as z from 'zod/mini'
import { call, listOf, okMessage, rule } from '../call.ts'
import { joinTokenFields, joinTokenItemWire, joinTokenWire } from '../entities/join-token.ts'
import { labelWire } from '../entities/label.ts'
import { resourceContent } from '../entities/resource-item.ts'

/** Every token gets a fresh resource id among its labels, so that whoever made it sees the agent arrive. */
export const create = call({
  id: 'tokens.create',
  method: 'POST',
  path: '/v1/webapi/token',
  allow: rule('token', 'create'),
  body: z.object(joinTokenFields),
  out: joinTokenWire,
})
/** The same, and the labels that the client suggests stay. */
export const createWithLabels = call({
  id: 'tokens.createWithLabels',
  method: 'POST',
  path: '/v2/webapi/token',
  allow: rule('token', 'create'),
  body: z.object({ ...joinTokenFields, suggestedLabels: z.nullish(z.array(labelWire).check(z.maxLength(100))) }),
  out: joinTokenWire,
})

/** Only for who may see secrets: the names and documents of tokens are in it. */
export const list = call({
  id: 'tokens.list',
  method: 'GET',
  path: '/v1/webapi/tokens',
  allow: rule('token', 'list', 'read'),
  out: z.object({ items: listOf(joinTokenItemWire) }),
})
/** Creates the token or replaces it; without a name a new one. `ttl`, a duration such as 2h45m, is ours. */
const saved = (method: 'POST' | 'PUT', id: string) =>
  call({
    id,
    method,
    path: '/v1/webapi/tokens',
    allow: rule('token', 'create', 'update'),
    body: z.object({
      ...joinTokenFields,
      name: z._default(z.string().check(z.maxLength(255)), ''),
      ttl: z._default(z.string().check(z.maxLength(64)), ''),
    }),
    out: joinTokenItemWire,
  })
export const save = saved('POST', 'tokens.save')
export const replace = saved('PUT', 'tokens.replace')
export const saveYaml = call({
  id: 'tokens.saveYaml',
  method: 'PUT',
  path: '/v1/webapi/tokens/yaml',
  allow: rule('token', 'create', 'update'),
  body: resourceContent,
  out: joinTokenItemWire,
})
/** The name of the token is in the header `tokenNameHeader`. */
export const remove = call({
  id: 'tokens.remove',
  method: 'DELETE',
  path: '/v1/webapi/tokens',
  allow: rule('token', 'delete'),
  out: okMessage,
})

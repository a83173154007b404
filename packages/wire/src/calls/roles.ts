/** Roles as documents, what a change of one would do, and why somebody may or may not do something. */
import * as z from 'zod/mini'
import { call, okMessage, rule } from '../call.ts'
import { accessEffectWire, accessExplanationWire, accessQuestionWire } from '../entities/access.ts'
import { resourceContent, resourceItemsWire, resourceItemWire } from '../entities/resource-item.ts'

const name = z.object({ name: z.string().check(z.maxLength(255)) })

/** A bare array. */
export const list = call({
  id: 'roles.list',
  method: 'GET',
  path: '/v1/webapi/roles',
  allow: rule('role', 'list', 'read'),
  out: resourceItemsWire,
})
export const read = call({
  id: 'roles.read',
  method: 'GET',
  path: '/v1/webapi/roles/{name}',
  allow: rule('role', 'read'),
  params: name,
  out: resourceItemWire,
})
export const create = call({
  id: 'roles.create',
  method: 'POST',
  path: '/v1/webapi/roles',
  allow: rule('role', 'create', 'update'),
  body: resourceContent,
  out: resourceItemWire,
})
export const update = call({
  id: 'roles.update',
  method: 'PUT',
  path: '/v1/webapi/roles/{name}',
  allow: rule('role', 'create', 'update'),
  params: name,
  body: resourceContent,
  out: resourceItemWire,
})
export const remove = call({
  id: 'roles.remove',
  method: 'DELETE',
  path: '/v1/webapi/roles/{name}',
  allow: rule('role', 'delete'),
  params: name,
  out: okMessage,
})
/** The roles that every cluster starts with, as they were. */
export const presets = call({
  id: 'roles.presets',
  method: 'GET',
  path: '/v1/webapi/presetroles',
  allow: 'public',
  limit: 'high',
  out: resourceItemsWire,
})
/** Ours: checks a document without saving it and tells who would gain or lose what. Bad documents answer 400 as saving would. */
export const effect = call({
  id: 'roles.effect',
  method: 'POST',
  path: '/v1/webapi/roles/effect',
  allow: rule('role', 'list', 'read'),
  body: resourceContent,
  out: accessEffectWire,
})
/** Ours: what the access checker would decide for somebody, and because of which role and rule. */
export const explain = call({
  id: 'roles.explain',
  method: 'POST',
  path: '/v1/webapi/access/explain',
  allow: rule('role', 'list', 'read'),
  body: accessQuestionWire,
  out: accessExplanationWire,
})

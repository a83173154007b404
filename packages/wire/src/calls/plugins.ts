/** Plugins: what tells people elsewhere of access requests. */
import * as z from 'zod/mini'
import { call, listOf, okMessage, rule } from '../call.ts'
import { pluginWire } from '../entities/integration.ts'
import { pluginSettingsWire } from '../entities/plugin.ts'
import { clusterParams } from './clusters.ts'

const name = z.string().check(z.maxLength(255))
const pluginParams = z.extend(clusterParams, { name })
const named = z.object({ name, settings: pluginSettingsWire })
const recipient = z.string().check(z.minLength(1, 'give a recipient for the test message'), z.maxLength(320))

export const list = call({
  id: 'plugins.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/plugins',
  allow: rule('plugin', 'list', 'read'),
  params: clusterParams,
  out: z.object({ items: listOf(pluginWire) }),
})
/** It is stored whether or not the other side lets it in; the answer tells. */
export const create = call({
  id: 'plugins.create',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/plugins',
  allow: rule('plugin', 'create'),
  params: clusterParams,
  body: named,
  out: pluginWire,
})
/** Ours, as all below but `remove`. */
export const read = call({
  id: 'plugins.read',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/plugins/{name}',
  allow: rule('plugin', 'read'),
  params: pluginParams,
  out: z.object({ plugin: pluginWire, settings: pluginSettingsWire }),
})
export const update = call({
  id: 'plugins.update',
  method: 'PUT',
  path: '/v1/webapi/sites/{clusterId}/plugins/{name}',
  allow: rule('plugin', 'update'),
  params: pluginParams,
  body: z.object({ settings: pluginSettingsWire }),
  out: pluginWire,
})
/** A message by settings that are not stored. */
export const test = call({
  id: 'plugins.test',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/plugins/test',
  allow: rule('plugin', 'create'),
  params: clusterParams,
  body: z.object({ settings: pluginSettingsWire, recipient }),
  out: okMessage,
})
/** The same by settings that a stored one may get; its secrets are kept where they come masked. */
export const testStored = call({
  id: 'plugins.testStored',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/plugins/{name}/test',
  allow: rule('plugin', 'update'),
  params: pluginParams,
  body: z.object({ settings: pluginSettingsWire, recipient }),
  out: okMessage,
})
export const remove = call({
  id: 'plugins.remove',
  method: 'DELETE',
  path: '/v1/webapi/sites/{clusterId}/plugins/{name}',
  allow: rule('plugin', 'delete'),
  params: pluginParams,
  out: okMessage,
})

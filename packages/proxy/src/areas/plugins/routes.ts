/** Plugins: the list, changes, and test messages. */
import * as calls from '@sallyport/wire/calls/plugins.ts'
import { ok } from '@sallyport/wire/call.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { notFound } from '../../core/errors.ts'
import { pluginKind } from '../../core/plugins/plugin.ts'
import type { Plugins } from '../../core/plugins/plugins.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { requireOwnSecret, toSettings, toSpec } from './settings.ts'

/** For settings that have no name yet. */
const unnamed = 'new'

export function pluginsRoutes({ cluster, plugins }: { cluster: OwnCluster; plugins: Plugins }): Route[] {
  return [
    on(calls.list, async ({ params }) => {
      requireOwnCluster(cluster, params.clusterId)
      return { items: await plugins.list() }
    }),
    on(calls.create, ({ params, body: { name, settings }, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      requireOwnSecret(settings)
      return plugins.create({ metadata: { name }, spec: toSpec(settings) }, caller.username)
    }),
    on(calls.read, async ({ params }) => {
      requireOwnCluster(cluster, params.clusterId)
      const { spec } = await plugins.require(params.name)
      const plugin = (await plugins.list()).find(({ name }) => name === params.name)
      if (!plugin) throw notFound(pluginKind.missingText(params.name))
      return { plugin, settings: toSettings(spec) }
    }),
    on(calls.update, async ({ params, body: { settings }, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const { metadata } = await plugins.require(params.name)
      return plugins.update({ metadata: { ...metadata }, spec: toSpec(settings) }, caller.username)
    }),
    on(calls.test, async ({ params, body: { settings, recipient }, caller, signal }) => {
      requireOwnCluster(cluster, params.clusterId)
      requireOwnSecret(settings)
      await plugins.test({ metadata: { name: unnamed }, spec: toSpec(settings) }, recipient, caller.username, signal)
      return ok
    }),
    on(calls.testStored, async ({ params, body: { settings, recipient }, caller, signal }) => {
      requireOwnCluster(cluster, params.clusterId)
      const { metadata } = await plugins.require(params.name)
      await plugins.test({ metadata: { ...metadata }, spec: toSpec(settings) }, recipient, caller.username, signal)
      return ok
    }),
    on(calls.remove, async ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      await plugins.remove(params.name, caller.username)
      return ok
    }),
  ]
}

/** Everything about plugins that tell people of access requests, built on the foundations. */
import { pluginsRoutes } from './areas/plugins/routes.ts'
import { createConnectorStore } from './core/connectors/connector-store.ts'
import { createCourier } from './core/plugins/courier.ts'
import type { Courier } from './core/plugins/courier.ts'
import { createMessages } from './core/plugins/messages.ts'
import { messengerOf } from './core/plugins/messengers.ts'
import { pluginKind, sealedPlugins } from './core/plugins/plugin.ts'
import type { PluginSpec } from './core/plugins/plugin.ts'
import { createPlugins, managedPlugins } from './core/plugins/plugins.ts'
import { createStates } from './core/plugins/states.ts'
import type { ManagedKind } from './core/resources/managed-kinds.ts'
import { createResourceStore } from './core/resources/resources.ts'
import type { Route } from './core/route.ts'
import type { Foundations } from './foundations.ts'

export function openPlugins(foundations: Foundations): { managed: ManagedKind; routes: Route[]; courier: Courier } {
  const { audit, cluster, config, masterKey, site } = foundations
  const store = createConnectorStore(sealedPlugins, createResourceStore(pluginKind, foundations), masterKey)
  const common = {
    store,
    messages: createMessages(foundations),
    states: createStates(foundations),
    messengerOf: (spec: PluginSpec) => messengerOf(spec, { slackApi: config.slackApi, site }),
  }
  const courier = createCourier({ ...foundations, ...common })
  const plugins = createPlugins({ ...common, courier, audit, site })
  return { managed: managedPlugins({ store, plugins }), routes: pluginsRoutes({ cluster, plugins }), courier }
}

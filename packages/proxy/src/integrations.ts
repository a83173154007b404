/** Everything about services elsewhere: accounts that trust the cluster, and plugins that tell people. Built on the foundations. */
import { integrationsRoutes } from './areas/integrations/routes.ts'
import { integrationScriptRoutes } from './areas/scripts/integration-routes.ts'
import { createJwtSigner } from './core/authorities/jwt-signer.ts'
import { createAws } from './core/integrations/aws.ts'
import { createIdTokens } from './core/integrations/id-tokens.ts'
import { integrationKind } from './core/integrations/integration.ts'
import { createIntegrations, managedIntegrations } from './core/integrations/integrations.ts'
import type { Duties } from './core/generations/duties.ts'
import type { Courier } from './core/plugins/courier.ts'
import type { ManagedKind } from './core/resources/managed-kinds.ts'
import { createResourceStore } from './core/resources/resources.ts'
import type { Route } from './core/route.ts'
import type { Foundations } from './foundations.ts'
import { openPlugins } from './plugins.ts'

export interface OpenIntegrations {
  managed: ManagedKind[]
  routes: Route[]
  courier: Courier
}

export function openIntegrations(foundations: Foundations, duties: Pick<Duties, 'add'>): OpenIntegrations {
  const { audit, clock, cluster, config, keys, masterKey, site } = foundations
  const store = createResourceStore(integrationKind, foundations)
  const integrations = createIntegrations({ store, audit })
  const signer = createJwtSigner({ directory: keys, masterKey, authority: 'oidc-idp' })
  const aws = createAws({ tokens: createIdTokens({ signer, site, clock }), site })
  const plugins = openPlugins(foundations)
  duties.add(plugins.courier.start)
  return {
    managed: [managedIntegrations({ store, integrations }), plugins.managed],
    courier: plugins.courier,
    routes: [
      ...integrationsRoutes({ cluster, integrations, aws, signer, site, audit }),
      ...integrationScriptRoutes({ site, clusterName: config.clusterName }),
      ...plugins.routes,
    ],
  }
}

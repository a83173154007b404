/** Everything about accounts elsewhere that trust the cluster, built on the foundations. */
import { integrationsRoutes } from './areas/integrations/routes.ts'
import { integrationScriptRoutes } from './areas/scripts/integration-routes.ts'
import { createJwtSigner } from './core/authorities/jwt-signer.ts'
import { createAws } from './core/integrations/aws.ts'
import { createIdTokens } from './core/integrations/id-tokens.ts'
import { integrationKind } from './core/integrations/integration.ts'
import { createIntegrations, managedIntegrations } from './core/integrations/integrations.ts'
import type { ManagedKind } from './core/resources/managed-kinds.ts'
import { createResourceStore } from './core/resources/resources.ts'
import type { Route } from './core/route.ts'
import type { Foundations } from './foundations.ts'

export function openIntegrations(foundations: Foundations): { managed: ManagedKind; routes: Route[] } {
  const { audit, clock, cluster, config, keys, masterKey, site } = foundations
  const store = createResourceStore(integrationKind, foundations)
  const integrations = createIntegrations({ store, audit })
  const signer = createJwtSigner({ directory: keys, masterKey, authority: 'oidc-idp' })
  const aws = createAws({ tokens: createIdTokens({ signer, site, clock }), site })
  return {
    managed: managedIntegrations({ store, integrations }),
    routes: [
      ...integrationsRoutes({ cluster, integrations, aws, signer, site, audit }),
      ...integrationScriptRoutes({ site, clusterName: config.clusterName }),
    ],
  }
}

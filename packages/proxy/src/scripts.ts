/** Everything that machines fetch to become part of the cluster, and that people download for them, built on the foundations. */
import { join } from 'node:path'
import { downloadsRoutes } from './areas/downloads/routes.ts'
import { desktopScriptRoutes } from './areas/scripts/desktop-routes.ts'
import { openSshScriptRoutes } from './areas/scripts/openssh-routes.ts'
import { scriptsRoutes } from './areas/scripts/routes.ts'
import type { ScriptsAreaDeps } from './areas/scripts/routes.ts'
import { createAgentPackage } from './core/agent-package/agent-package.ts'
import { createDesktopAuthority } from './core/authorities/desktop-authority.ts'
import { createEnrolment } from './core/openssh/enrol.ts'
import type { Route } from './core/route.ts'
import type { Foundations } from './foundations.ts'

export function openScripts({
  foundations,
  version,
  pins,
}: { foundations: Foundations } & Pick<ScriptsAreaDeps, 'version' | 'pins'>): Route[] {
  const { audit, authorities, clock, config, inventory, joinTokens, keys, lockView, masterKey, openSshNodes, openSshStore, site } =
    foundations
  const { clusterName, licenseFile } = config
  const agentPackage = createAgentPackage({ agentDir: config.agentDir, cacheDir: join(config.dataDir, 'agent-package') })
  const shared = { joinTokens, site, clusterName, pins }
  return [
    ...scriptsRoutes({ ...shared, agentPackage, version }),
    ...downloadsRoutes({ agentPackage, site, version, licenseFile }),
    ...desktopScriptRoutes({ ...shared, desktopAuthority: createDesktopAuthority({ directory: keys, masterKey, clock, clusterName }) }),
    ...openSshScriptRoutes({
      ...shared,
      enrol: createEnrolment({
        tokens: joinTokens,
        store: openSshStore,
        nodes: openSshNodes,
        inventory,
        locks: lockView,
        authorities,
        audit,
      }),
      authorities,
    }),
  ]
}

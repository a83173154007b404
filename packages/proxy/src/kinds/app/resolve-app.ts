/** Which application a launch link, or a host name, means. */
import { accessTo } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { notFound } from '../../core/errors.ts'
import type { Served } from '../../core/served/served.ts'
import type { Site } from '../../core/site.ts'
import type { AppSpec, AppSpecInput, ServedApp } from './app.ts'
import { hostNameOf, isNameOfConsole, nameInFront, publicAddressOf } from './host-names.ts'

export type ServedApps = Served<ServedApp, AppSpec, AppSpecInput>

export interface AppLink {
  readonly fqdn: string
  /** With the public address: it has to be exactly that one. */
  readonly clusterName?: string | undefined
  readonly publicAddr?: string | undefined
}

export interface AppNames {
  /** Where browsers reach it; empty where the proxy has no name that could stand behind its own. */
  hostOf(app: ServedApp): string
  /** Whatever is reached there; a host name of the console is never one. */
  at(host: string): ServedApp | undefined
  /** Whether requests for this host are an application's, and never the console's. */
  isAppHost(host: string): boolean
  /** Throws not found; what somebody does not see is not there. */
  resolve(link: AppLink, actor: Pick<Actor, 'access' | 'requested'>): { app: ServedApp; host: string }
}

export interface AppNamesDeps {
  apps: Pick<ServedApps, 'registry'>
  site: Pick<Site, 'hostname'>
  cluster: Pick<OwnCluster, 'name'>
}

export function createAppNames({ apps, site, cluster }: AppNamesDeps): AppNames {
  const hostOf = ({ id, publicAddr }: ServedApp): string => publicAddressOf({ name: id, publicAddr }, site)
  const at = (host: string): ServedApp | undefined => {
    if (isNameOfConsole(host, site.hostname)) return undefined
    const name = nameInFront(host, site)
    const named = name === undefined ? undefined : apps.registry.get(name)
    // An address that an administrator wrote counts before one that follows from a name.
    const [written] = apps.registry.items(({ publicAddr }) => publicAddr === host)
    return written ?? (named && hostOf(named) === host ? named : undefined)
  }
  return {
    hostOf,
    at,
    isAppHost: (host) => !isNameOfConsole(host, site.hostname) && (nameInFront(host, site) !== undefined || at(host) !== undefined),
    resolve({ fqdn, clusterName, publicAddr }, actor) {
      const unknown = (): Error => notFound(`unable to resolve FQDN: ${fqdn}`)
      if (clusterName && clusterName !== cluster.name) throw unknown()
      const host = hostNameOf(publicAddr || fqdn)
      const app = host === undefined ? undefined : at(host)
      if (!app || host === undefined || !accessTo(actor, 'app', app.id).canSee('app', app.labels)) throw unknown()
      return { app, host }
    },
  }
}

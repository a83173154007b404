import type { ClientConfig } from '@sallyport/wire/config.ts'
import type { Cluster } from '@sallyport/wire/entities/cluster.ts'
import type { Ping } from '@sallyport/wire/entities/ping.ts'
import { version } from '../../../package.json'

export interface FactsFrom {
  cluster: Cluster
  config: ClientConfig
  proxy?: Ping
  /** The browser's own name for itself. */
  browser: string
}

/** What a person who helps will ask for, in order; facts that are unknown or do not apply are left out. No secrets. */
export function clusterFacts({ cluster, config, proxy, browser }: FactsFrom): readonly (readonly [name: string, value: string])[] {
  const upgrades = config.automaticUpgrades ?? proxy?.automatic_upgrades ?? false
  const facts: [string, string][] = [
    ['Cluster name', cluster.clusterId],
    ['Server version', cluster.authVersion || (proxy?.server_version ?? '')],
    ['Edition', config.isCloud ? 'Cloud' : config.isEnterprise ? 'Enterprise' : ''],
    ['Public address', cluster.publicURL],
    ['Tunnel address', config.tunnelPublicAddress],
    ['Console version', version],
    ['Browser', browser],
    ['Configuration folder', config.configDir],
    ['Automatic upgrades', upgrades ? 'on' : 'off'],
  ]
  return facts.filter(([, value]) => value !== '')
}

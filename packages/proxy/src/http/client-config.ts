/** `/web/config.js`: the client configuration as a classic script, and the facts that ping tells as well. */
import type { ClientConfigWire } from '@sallyport/wire/config.ts'
import type { Config } from '../config.ts'
import { preferredMfa } from '../core/identity/second-factor-mode.ts'

export function clientConfig(config: Config): ClientConfigWire {
  const preferred = preferredMfa(config.secondFactor)
  return {
    auth: {
      second_factor: config.secondFactor,
      localAuthEnabled: config.localAuth,
      allowPasswordless: config.allowPasswordless,
      authType: 'local',
      ...(preferred ? { preferredLocalMfa: preferred } : {}),
      localConnectorName: 'local',
      privateKeyPolicy: 'none',
      motd: config.motd,
    },
    canJoinSessions: true,
    proxyCluster: config.clusterName,
    isCloud: false,
    recoveryCodesEnabled: false,
    ui: config.scrollbackLines === undefined ? {} : { scrollbackLines: config.scrollbackLines },
    isDashboard: false,
    isUsageBasedBilling: false,
    automaticUpgrades: false,
    assistEnabled: false,
  }
}

export const clientConfigScript = (config: Config): string => `var GRV_CONFIG = ${JSON.stringify(clientConfig(config))};`

/** `/web/config.js`: the client configuration as a classic script, and the facts that ping tells as well. */
import type { ClientConfigWire } from '@sallyport/wire/config.ts'
import type { Config } from '../config.ts'
import type { ClusterSettings } from '../core/cluster-settings.ts'
import { preferredMfa } from '../core/identity/second-factor-mode.ts'

export type SettingsInForce = Pick<ClusterSettings, 'authPreference' | 'sessionRecording'>

export function clientConfig(config: Config, { authPreference, sessionRecording }: SettingsInForce): ClientConfigWire {
  const preferred = preferredMfa(authPreference.second_factor)
  return {
    auth: {
      second_factor: authPreference.second_factor,
      localAuthEnabled: authPreference.allow_local_auth,
      allowPasswordless: authPreference.allow_passwordless,
      authType: authPreference.type,
      ...(preferred ? { preferredLocalMfa: preferred } : {}),
      localConnectorName: localConnector(authPreference.connector_name),
      privateKeyPolicy: authPreference.private_key_policy,
      motd: authPreference.message_of_the_day,
    },
    // Sessions that are recorded at the proxy cannot be joined.
    canJoinSessions: !sessionRecording.mode.startsWith('proxy'),
    proxyCluster: config.clusterName,
    isCloud: false,
    recoveryCodesEnabled: authPreference.recovery_codes,
    ui: config.scrollbackLines === undefined ? {} : { scrollbackLines: config.scrollbackLines },
    isDashboard: false,
    isUsageBasedBilling: false,
    automaticUpgrades: false,
    assistEnabled: false,
  }
}

/** The built-in way to sign in that comes first; a connector's name is none. */
const localConnector = (name: string): string => (name === 'passwordless' || name === 'headless' ? name : 'local')

export const clientConfigScript = (config: Config, settings: SettingsInForce): string =>
  `var GRV_CONFIG = ${JSON.stringify(clientConfig(config, settings))};`

/** `/web/config.js`: the client configuration as a classic script, and the facts that ping tells as well. */
import type { AuthProvider, ClientConfigWire } from '@sallyport/wire/config.ts'
import type { Config } from '../config.ts'
import type { ClusterSettings } from '../core/cluster/cluster-settings.ts'
import type { ConnectorType, OfferedConnector } from '../core/connectors/connectors.ts'
import { defaultOf } from '../core/connectors/default-connector.ts'
import { preferredMfa } from '../core/identity/second-factor-mode.ts'

export type SettingsInForce = Pick<ClusterSettings, 'authPreference' | 'sessionRecording'>

/** Where a sign-in through a connector begins; the console fills the two names in, the way back stays last. */
const startPaths: Record<ConnectorType, string> = {
  oidc: '/v1/webapi/oidc/login/web',
  saml: '/v1/webapi/saml/sso',
  github: '/v1/webapi/github/login/web',
}
const providerOf = ({ type, name, display }: OfferedConnector): AuthProvider => ({
  name,
  ...(display === '' ? {} : { displayName: display }),
  type,
  url: `${startPaths[type]}?connector_id=:providerName&redirect_url=:redirect`,
})

export function clientConfig(
  config: Config,
  { authPreference, sessionRecording }: SettingsInForce,
  offered: readonly OfferedConnector[],
): ClientConfigWire {
  const first = defaultOf(offered, authPreference)
  const preferred = preferredMfa(authPreference.second_factor)
  return {
    auth: {
      second_factor: authPreference.second_factor,
      ...(offered.length > 0 ? { providers: offered.map(providerOf) } : {}),
      localAuthEnabled: authPreference.allow_local_auth,
      allowPasswordless: authPreference.allow_passwordless,
      authType: authPreference.type,
      ...(preferred ? { preferredLocalMfa: preferred } : {}),
      ...(first ? { defaultConnectorName: first.name } : {}),
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
    isDashboard: config.downloadCentre,
    isUsageBasedBilling: false,
    automaticUpgrades: false,
    assistEnabled: config.assistAddress !== undefined,
  }
}

/** The built-in way to sign in that comes first; a connector's name is none. */
const localConnector = (name: string): string => (name === 'passwordless' || name === 'headless' ? name : 'local')

export const clientConfigScript = (config: Config, settings: SettingsInForce, offered: readonly OfferedConnector[]): string =>
  `var GRV_CONFIG = ${JSON.stringify(clientConfig(config, settings, offered))};`

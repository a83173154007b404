/** What the server is, for clients that are not signed in yet. */
import { createHash } from 'node:crypto'
import { find, motd, ping, pingConnector, thumbprint } from '@sallyport/wire/calls/bootstrap.ts'
import type { Ping } from '@sallyport/wire/entities/ping.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import type { Connectors, OfferedConnector } from '../../core/connectors/connectors.ts'
import { defaultOf } from '../../core/connectors/default-connector.ts'
import { badParameter } from '../../core/errors.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { allowsKeys, preferredMfa } from '../../core/identity/second-factor-mode.ts'
import type { Site } from '../../core/site.ts'

export interface BootstrapDeps {
  site: Site
  /** `host[:port]` where SSH clients reach the proxy. */
  sshAddress: () => string
  version: string
  config: { readonly clusterName: string }
  settings: Pick<ClusterSettings, 'authPreference'>
  connectors: Pick<Connectors, 'offered'>
  assistEnabled: boolean
  /** DER of the last certificate of the chain that browsers see; on plain HTTP of the cluster's own authority. */
  lastCertificate: () => Promise<Uint8Array>
}

/** Names of the built-in ways to sign in. */
const builtIn = ['local', 'passwordless', 'headless']

export function bootstrapRoutes(deps: BootstrapDeps): Route[] {
  const common = () => {
    const preference = deps.settings.authPreference
    const preferred = preferredMfa(preference.second_factor)
    return {
      second_factor: preference.second_factor,
      ...(preferred ? { preferred_local_mfa: preferred } : {}),
      private_key_policy: preference.private_key_policy,
      device_trust: {},
      has_motd: preference.message_of_the_day !== '',
    }
  }
  const local = (connector: string): NonNullable<Ping['auth']> => {
    const preference = deps.settings.authPreference
    return {
      ...common(),
      type: 'local',
      allow_passwordless: preference.allow_passwordless,
      allow_headless: preference.allow_headless,
      local: { name: connector },
      ...(allowsKeys(preference.second_factor) ? { webauthn: { rp_id: deps.site.rpId } } : {}),
    }
  }
  const through = ({ type, name, display }: OfferedConnector): NonNullable<Ping['auth']> => ({
    ...common(),
    type,
    [type]: { name, display },
  })
  const auth = async (): Promise<NonNullable<Ping['auth']>> => {
    const preference = deps.settings.authPreference
    if (preference.type === 'local') return local(preference.connector_name || 'local')
    const connector = defaultOf(await deps.connectors.offered(), preference)
    if (connector) return through(connector)
    throw badParameter(`sign-in is set to ${preference.type}, but there is no ${preference.type} connector "${preference.connector_name}"`)
  }
  const server = (auth: Ping['auth'], oldestClient: string): Ping => ({
    ...(auth ? { auth } : {}),
    proxy: {
      kube: {},
      ssh: { public_addr: deps.site.host, ssh_public_addr: deps.sshAddress() },
      db: {},
      tls_routing_enabled: true,
      assist_enabled: deps.assistEnabled,
    },
    server_version: deps.version,
    min_client_version: oldestClient,
    cluster_name: deps.config.clusterName,
    automatic_upgrades: false,
  })
  return [
    on(ping, async () => server(await auth(), deps.version)),
    on(pingConnector, async ({ params: { connector } }) => {
      if (builtIn.includes(connector)) return server(local(connector), '')
      const offered = await deps.connectors.offered()
      const found = offered.find(({ name }) => name === connector)
      if (found) return server(through(found), '')
      const options = [...builtIn, ...offered.map(({ name }) => name)]
      throw badParameter(`invalid connector name: ${connector}; valid options: ${options.join(', ')}`)
    }),
    on(find, () => server({ type: '', private_key_policy: '', device_trust: {}, has_motd: false }, deps.version)),
    on(motd, () => ({ text: deps.settings.authPreference.message_of_the_day })),
    on(thumbprint, async () =>
      createHash('sha1')
        .update(await deps.lastCertificate())
        .digest('hex'),
    ),
  ]
}

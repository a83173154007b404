/** The connectors of this cluster, of all three kinds. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { RoleStore } from '../access/role.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import type { Clock } from '../clock.ts'
import { badParameter } from '../errors.ts'
import { createResourceStore } from '../resources/resources.ts'
import { createConnectorStore } from './connector-store.ts'
import { githubKind } from './github-connector.ts'
import { oidcKind } from './oidc-connector.ts'
import { samlKind } from './saml-connector.ts'
import type { SamlConnector } from './saml-connector.ts'

export type ConnectorType = 'oidc' | 'saml' | 'github'
/** The order in which they are offered. */
export const connectorTypes: readonly ConnectorType[] = ['oidc', 'saml', 'github']

/** What the sign-in screen needs to know. */
export interface OfferedConnector {
  type: ConnectorType
  name: string
  display: string
}

export type Connectors = ReturnType<typeof createConnectors>

export interface ConnectorDeps {
  db: Kysely<Database>
  feed: ChangeFeed
  clock: Clock
  masterKey: MasterKey
  roles: Pick<RoleStore, 'get'>
}

export function createConnectors({ masterKey, roles, ...deps }: ConnectorDeps) {
  const oidc = createConnectorStore(
    {
      definition: oidcKind,
      mapSecrets: (spec, change) => ({ ...spec, client_secret: change(spec.client_secret, 'client_secret') }),
      destination: ({ issuer_url }) => issuer_url,
    },
    createResourceStore(oidcKind, deps),
    masterKey,
  )
  const github = createConnectorStore(
    {
      definition: githubKind,
      mapSecrets: (spec, change) => ({ ...spec, client_secret: change(spec.client_secret, 'client_secret') }),
      destination: ({ endpoint_url }) => endpoint_url,
    },
    createResourceStore(githubKind, deps),
    masterKey,
  )
  const saml = createConnectorStore(
    {
      definition: samlKind,
      mapSecrets: (spec, change) => ({
        ...spec,
        signing_key_pair: {
          ...spec.signing_key_pair,
          private_key: change(spec.signing_key_pair.private_key, 'signing_key_pair.private_key'),
        },
        assertion_key_pair: {
          ...spec.assertion_key_pair,
          private_key: change(spec.assertion_key_pair.private_key, 'assertion_key_pair.private_key'),
        },
      }),
      // Its keys never leave this side.
      destination: () => '',
      check: checkSaml,
    },
    createResourceStore(samlKind, deps),
    masterKey,
  )

  async function checkSaml({ metadata: { name }, spec }: SamlConnector): Promise<void> {
    if (spec.allow_idp_initiated && URL.parse(spec.acs)?.pathname.split('/').at(-1) !== encodeURIComponent(name))
      throw badParameter(`spec.acs: must end in /${encodeURIComponent(name)} when sign-ins may begin at the provider`)
    for (const role of new Set(spec.attributes_to_roles.flatMap((mapping) => mapping.roles)))
      if (!role.includes('$') && !(await roles.get(role))) throw badParameter(`spec.attributes_to_roles: role "${role}" does not exist`)
  }

  return {
    oidc,
    saml,
    github,
    /** In the order in which they are offered: by kind, then by name. */
    async offered(): Promise<OfferedConnector[]> {
      const stores = { oidc, saml, github }
      const lists = connectorTypes.map(async (type) =>
        (await stores[type].list()).map(({ metadata: { name }, spec: { display } }) => ({ type, name, display })),
      )
      return (await Promise.all(lists)).flat()
    },
  }
}

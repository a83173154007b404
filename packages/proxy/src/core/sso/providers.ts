/** Providers by connector, kept while the connector stays as it is, so that discovery happens once in a while only. */
import { LRUCache } from 'lru-cache'
import type { Connectors, ConnectorType } from '../connectors/connectors.ts'
import { githubKind } from '../connectors/github-connector.ts'
import { oidcKind } from '../connectors/oidc-connector.ts'
import { samlKind } from '../connectors/saml-connector.ts'
import type { Resource, ResourceKind } from '../resources/resources.ts'
import { createGithubProvider } from './github.ts'
import { createOidcProvider } from './oidc.ts'
import type { Provider } from './provider.ts'
import { createSamlProvider } from './saml.ts'
import type { SamlDeps } from './saml.ts'

export interface Providers {
  /** Undefined when there is no such connector. */
  find(type: ConnectorType, name: string): Promise<Provider | undefined>
  /** For a document that is not saved, in the form in which `draft` gives it. */
  of(type: ConnectorType, document: unknown): Provider
}

/** A provider's keys and addresses are read again after this. */
const freshFor = 10 * 60_000

export function createProviders({ connectors, ...saml }: SamlDeps & { connectors: Connectors }): Providers {
  const { clock } = saml
  const known = new LRUCache<string, { provider: Provider; until: number }>({ max: 200 })

  function of(type: ConnectorType, document: unknown): Provider {
    if (type === 'oidc') return createOidcProvider(readAgain(oidcKind, document))
    if (type === 'github') return createGithubProvider(readAgain(githubKind, document))
    return createSamlProvider(readAgain(samlKind, document), saml)
  }
  return {
    of,
    async find(type, name) {
      const connector = await connectors[type].opened(name)
      if (!connector) return undefined
      const key = `${type}/${name}/${connector.metadata.revision}`
      const kept = known.get(key)
      if (kept && kept.until > clock.now()) return kept.provider
      const provider = of(type, connector)
      known.set(key, { provider, until: clock.now() + freshFor })
      return provider
    },
  }
}

/** A document in the form in which it is stored, read as strictly as one from outside. */
function readAgain<Spec, Input>({ kind, spec }: ResourceKind<Spec, Input>, document: unknown): Resource<Spec> {
  const { version, metadata, spec: fields } = document as Resource<unknown>
  return { kind, version, metadata, spec: spec(version).parse(fields) }
}

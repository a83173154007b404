/**
 * A store of connectors that keeps their secrets sealed under the master key and never hands them out with the
 * document: readers get `maskedSecret`, and a document that comes back with it keeps the secret that is stored.
 */
import { maskedSecret } from '@sallyport/wire/entities/connector.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import { badParameter } from '../errors.ts'
import { parseResource } from '../resources/resources.ts'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from '../resources/resources.ts'

export interface ConnectorKind<Spec, Input> {
  definition: ResourceKind<Spec, Input>
  /** The document with each secret (`field` is its path) replaced by what `change` makes of it; empty ones are left. */
  mapSecrets: (spec: Spec, change: (value: string, field: string) => string) => Spec
  /** Where secrets are sent. A stored secret does not follow when this changes. */
  destination: (spec: Spec) => string
  /** Throws bad parameter for what the schema alone cannot see. */
  check?: (connector: Resource<Spec>) => Promise<void>
}

export interface ConnectorStore<Spec, Input>
  extends ResourceStore<Spec, Input>, Pick<ConnectorKind<Spec, Input>, 'definition' | 'mapSecrets'> {
  /** With its secrets in the clear. For signing in only. */
  opened(name: string): Promise<Resource<Spec> | undefined>
  /** As it would be opened if it were saved. Throws bad parameter. */
  draft(input: ResourceInput<Input>): Promise<Resource<Spec>>
  /** A finished document as input, which its schema accepts. */
  inputOf(connector: Resource<Spec>): ResourceInput<Input>
}

export function createConnectorStore<Spec, Input>(
  { definition, mapSecrets, destination, check }: ConnectorKind<Spec, Input>,
  store: ResourceStore<Spec, Input>,
  masterKey: MasterKey,
): ConnectorStore<Spec, Input> {
  const labelOf = (name: string, field: string): string => `${definition.kind}/${name}/${field}`
  const withSecrets = (connector: Resource<Spec>, change: (value: string, field: string) => string): Resource<Spec> => ({
    ...connector,
    spec: mapSecrets(connector.spec, (value, field) => (value === '' ? '' : change(value, field))),
  })
  const mask = (connector: Resource<Spec>): Resource<Spec> => withSecrets(connector, () => maskedSecret)
  const open = (connector: Resource<Spec>): Resource<Spec> =>
    withSecrets(connector, (value, field) => masterKey.open(value, labelOf(connector.metadata.name, field)).toString('utf8'))
  const seal = (connector: Resource<Spec>): Resource<Spec> =>
    withSecrets(connector, (value, field) => masterKey.seal(Buffer.from(value), labelOf(connector.metadata.name, field)))

  async function draft(input: ResourceInput<Input>): Promise<Resource<Spec>> {
    const parsed = parseResource(definition, input)
    await check?.(parsed)
    const sealed = await store.get(parsed.metadata.name)
    const stored = new Map<string, string>()
    if (sealed) withSecrets(open(sealed), (value, field) => (stored.set(field, value), value))
    return withSecrets(parsed, (value, field) => {
      if (value !== maskedSecret) return value
      const known = stored.get(field)
      if (known === undefined || !sealed)
        throw badParameter(`spec.${field}: give the secret itself; ${maskedSecret} stands for one that is stored`)
      if (destination(sealed.spec) !== destination(parsed.spec))
        throw badParameter(`spec.${field}: enter the secret again, because the provider's address was changed`)
      return known
    })
  }
  const inputOf = (connector: Resource<Spec>): ResourceInput<Input> => connector as unknown as ResourceInput<Input>
  const sealedDraft = async (input: ResourceInput<Input>): Promise<ResourceInput<Input>> => inputOf(seal(await draft(input)))

  return {
    definition,
    mapSecrets,
    draft,
    inputOf,
    opened: async (name) => {
      const found = await store.get(name)
      return found && open(found)
    },
    get: async (name) => {
      const found = await store.get(name)
      return found && mask(found)
    },
    require: async (name) => mask(await store.require(name)),
    list: async () => (await store.list()).map(mask),
    create: async (input) => mask(await store.create(await sealedDraft(input))),
    update: async (input) => mask(await store.update(await sealedDraft(input))),
    delete: (name) => store.delete(name),
  }
}

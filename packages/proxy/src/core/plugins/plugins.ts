/** The plugins of the cluster. Every change is in the audit log before it counts. */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { pluginStatus } from '@sallyport/wire/entities/integration.ts'
import type { PluginWire } from '@sallyport/wire/entities/integration.ts'
import type { Audit } from '../audit/audit.ts'
import { alreadyExists, badParameter, connectionProblem } from '../errors.ts'
import { toResource, writeResource } from '../resources/documents.ts'
import { refuseExisting } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import type { ResourceInput } from '../resources/resources.ts'
import type { Courier } from './courier.ts'
import { DeliveryError } from './delivery-error.ts'
import type { Messages } from './messages.ts'
import type { Messenger } from './messenger.ts'
import { pluginKind } from './plugin.ts'
import type { Plugin, PluginSpec, PluginSpecInput, PluginStore } from './plugin.ts'
import type { PluginStates } from './states.ts'

type Input = ResourceInput<PluginSpecInput>

export interface Plugins {
  /** By name. */
  list(): Promise<PluginWire[]>
  /** With masked secrets. Throws not found. */
  require(name: string): Promise<Plugin>
  /** Throws already exists, bad parameter. */
  create(input: Input, by: string): Promise<PluginWire>
  /** Throws not found, bad parameter. */
  update(input: Input, by: string): Promise<PluginWire>
  /** Sends a message by settings that are not stored. Throws bad parameter, connection problem. */
  test(input: Input, recipient: string, by: string, signal: AbortSignal): Promise<void>
  /** Throws not found. */
  remove(name: string, by: string): Promise<void>
}

export interface PluginsDeps {
  store: PluginStore
  messages: Pick<Messages, 'errors' | 'forget' | 'clearErrors'>
  states: PluginStates
  courier: Pick<Courier, 'look'>
  messengerOf: (spec: PluginSpec) => Messenger
  audit: Pick<Audit, 'emit'>
  site: { readonly origin: string }
}

export function createPlugins({ store, messages, states, courier, messengerOf, audit, site }: PluginsDeps): Plugins {
  const tell = (code: AuditCode, { metadata: { name }, spec }: Plugin, user: string) =>
    audit.emit(code, { user, name, plugin_type: spec.type })

  async function list(): Promise<PluginWire[]> {
    const [plugins, known, errors] = await Promise.all([store.list(), states.all(), messages.errors()])
    return plugins.map(({ metadata: { name }, spec }) => {
      const { status_code: code = pluginStatus.unknown, details = '' } = known.get(name) ?? {}
      const error = errors.get(name)
      const failed = code > pluginStatus.running ? { code, text: details } : error
      return { name, kind: spec.type, statusCode: failed?.code ?? code, details: failed?.text ?? summaryOf(spec) }
    })
  }
  const shown = async (name: string): Promise<PluginWire> => {
    const found = (await list()).find((plugin) => plugin.name === name)
    return found ?? { name, kind: '', statusCode: pluginStatus.unknown, details: '' }
  }

  return {
    list,
    require: store.require,
    async create(input, by) {
      const draft = await store.draft(input)
      const { name } = draft.metadata
      // What is refused is not announced.
      if (await store.get(name)) throw alreadyExists(pluginKind.existsText(name))
      await tell('PG001I', draft, by)
      await forget(name)
      await states.begin(name)
      await store.create(store.inputOf(draft))
      await courier.look(name)
      return shown(name)
    },
    async update(input, by) {
      const { name } = input.metadata
      const before = await store.require(name)
      const draft = await store.draft(input)
      if (before.spec.type !== draft.spec.type)
        throw badParameter(`plugin "${name}" is of the kind ${before.spec.type}; create another one for ${draft.spec.type}`)
      await tell('PG002I', draft, by)
      await store.update(store.inputOf(draft))
      await states.renew(name)
      await messages.clearErrors(name)
      await courier.look(name)
      return shown(name)
    },
    async test(input, recipient, by, signal) {
      const { metadata, spec } = await store.draft({ ...input, spec: { ...input.spec, recipients: [recipient] } })
      await audit.emit('PG004I', { user: by, name: metadata.name, plugin_type: spec.type, recipient })
      const notice = {
        key: `test/${Date.now()}`,
        title: 'A test message of Sallyport',
        facts: [{ label: 'Sent by', value: by }],
        link: site.origin,
      }
      const messenger = messengerOf(spec)
      await messenger.post(recipient, notice, signal).catch((error: unknown) => {
        if (!(error instanceof DeliveryError)) throw error
        const isAnswer = error.of === 'recipient' || error.status !== pluginStatus.error
        throw (isAnswer ? badParameter : connectionProblem)(error.message, { cause: error })
      })
    },
    async remove(name, by) {
      await tell('PG003I', await store.require(name), by)
      await store.delete(name)
      await forget(name)
    },
  }

  /** Nothing of one is left to another of its name. */
  async function forget(name: string): Promise<void> {
    await messages.forget(name)
    await states.forget(name)
  }
}

/** Where it tells. */
function summaryOf(spec: PluginSpec): string {
  const all = new Set([...spec.recipients, ...Object.values(spec.role_recipients).flat()])
  const [first, ...others] = all
  const whom = first === undefined ? 'suggested reviewers' : others.length === 0 ? first : `${first} and ${others.length} more`
  return `Tells ${whom}${spec.type === 'email' ? `, by ${spec.host}` : spec.type === 'mattermost' ? `, at ${new URL(spec.url).host}` : ''}`
}

/** As documents for export, import and the command line. */
export const managedPlugins = ({ store, plugins }: { store: PluginStore; plugins: Plugins }): ManagedKind => ({
  kind: pluginKind.kind,
  aliases: [],
  names: async () => (await store.list()).map(({ metadata }) => metadata.name),
  async read(name, withSecrets) {
    const closed = await store.require(name)
    const plugin = (withSecrets && (await store.opened(name))) || closed
    return writeResource(pluginKind, { ...plugin, metadata: { ...plugin.metadata, revision: '' } })
  },
  async apply(document, { force, by }) {
    const { metadata, spec } = toResource(pluginKind, document)
    const input = store.inputOf({ kind: pluginKind.kind, version: 'v1', metadata: { ...metadata, revision: '' }, spec })
    const exists = (await store.get(metadata.name)) !== undefined
    if (exists && !force) throw refuseExisting(pluginKind.kind, metadata.name)
    await (exists ? plugins.update(input, by) : plugins.create(input, by))
    return exists ? 'replaced' : 'created'
  },
  remove: (name, by) => plugins.remove(name, by),
})

/**
 * Resources of one kind that are no servers: applications, databases, clusters, desktops. Some stand in documents of an
 * administrator, others are announced by the agent that reaches them; all of them are listed together. Nobody else says
 * where a resource is, and a browser never does.
 */
import type { Duplex } from 'node:stream'
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import { dialTargetOf, servedRoles } from '@sallyport/wire/tunnel.ts'
import type { Announced, ServedKindName } from '@sallyport/wire/tunnel.ts'
import type { Audit, AuditFields } from '../audit/audit.ts'
import { alreadyExists, AppError, badParameter } from '../errors.ts'
import type { Labels } from '../access/match.ts'
import type { InventoryKind, Registered } from '../inventory/entry.ts'
import { openRegistry } from '../inventory/registry.ts'
import type { Registry, RegistryDeps } from '../inventory/registry.ts'
import type { Host } from '../join/hosts.ts'
import { parseAddress } from '../openssh/openssh-node.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { parseResource } from '../resources/resources.ts'
import type { Resource, ResourceInput, ResourceKind, ResourceStore } from '../resources/resources.ts'
import { tcpRoute } from '../tunnel/tunnel.ts'
import type { Route } from '../tunnel/tunnel.ts'

/** `id` is the name. */
export interface Reached extends Registered {
  /** A URL, or host:port. */
  readonly uri: string
  /** Id of the host whose agent reaches it; the proxy does so itself when it is absent. */
  readonly via?: string | undefined
}

export interface ServedKind<T extends Reached, Input, Field extends string, Spec, SpecInput> {
  readonly kind: ServedKindName
  readonly inventory: InventoryKind<T, Input, Field>
  readonly documents: ResourceKind<Spec, SpecInput>
  itemOf(document: Resource<Spec>): Input
  /** Throws when what the agent says cannot be used; its message is logged. */
  announcedItem(announced: Announced, via: string): Input
  readonly codes: { readonly created: AuditCode; readonly updated: AuditCode; readonly deleted: AuditCode }
  /** What these events tell besides user and name. */
  auditFields(document: Resource<Spec>): AuditFields
}

export interface Served<T extends Reached, Spec, SpecInput> extends AsyncDisposable {
  readonly kind: ServedKindName
  readonly registry: Pick<Registry<T, never>, 'get' | 'list' | 'items' | 'count' | 'isElsewhere'>
  readonly documents: Pick<ResourceStore<Spec, SpecInput>, 'get' | 'require' | 'list'>
  readonly definition: ResourceKind<Spec, SpecInput>
  /** Stores a document; it is listed and can be dialled by then. Throws bad parameter, compare failed, already exists (also for what an agent announces), not found. */
  put(document: ResourceInput<SpecInput>, by: string, how?: 'create' | 'update' | 'replace'): Promise<Resource<Spec>>
  /** Throws not found. */
  remove(name: string, by: string): Promise<void>
  /** Takes one resource that an agent says that it reaches. Throws AppError when it may not be. */
  announce(announced: Announced, host: Pick<Host, 'id' | 'labels' | 'roles'>, expires: number): Promise<void>
  /** An open byte stream to it, of which the caller is the owner. Rejects with AppError. */
  dial(item: T, signal: AbortSignal): Promise<Duplex>
}

export interface ServedDeps<Spec, SpecInput> extends RegistryDeps {
  store: ResourceStore<Spec, SpecInput>
  feed: Pick<ChangeFeed, 'subscribe'>
  audit: Pick<Audit, 'emit'>
  /** To an address that the agent of a host reaches. */
  through: (agentHostId: string, target: string) => Route
  /** Agents that are the way to what documents tell of, by labels; undefined where none is. */
  byLabels?: (labels: Labels, target: string) => Promise<Route | undefined>
}

/** Resolves when everything that is stored is listed. */
export async function openServed<T extends Reached, Input, Field extends string, Spec, SpecInput>(
  kind: ServedKind<T, Input, Field, Spec, SpecInput>,
  { store, feed, audit, through, byLabels, ...registryDeps }: ServedDeps<Spec, SpecInput>,
): Promise<Served<T, Spec, SpecInput>> {
  const { log } = registryDeps
  await using opened = new AsyncDisposableStack()
  const registry = opened.use(await openRegistry(kind.inventory, registryDeps))
  const placed = new Map<string, { revision: string; place: Disposable }>()

  async function follow(): Promise<void> {
    const documents = await store.list()
    const known = new Set(documents.map(({ metadata }) => metadata.name))
    for (const [name, { place }] of placed) {
      if (known.has(name)) continue
      place[Symbol.dispose]()
      placed.delete(name)
    }
    for (const document of documents) {
      const { name, revision, expires } = document.metadata
      if (placed.get(name)?.revision === revision) continue
      placed.get(name)?.place[Symbol.dispose]()
      placed.set(name, { revision, place: registry.place(kind.itemOf(document), expires === null ? Infinity : Date.parse(expires)) })
    }
  }
  let following = Promise.resolve()
  /** After what is under way: one after the other, so that an older reading never wins. */
  const followNext = (): Promise<void> => {
    following = following
      .then(follow)
      .catch((error: unknown) => log.error({ err: error, kind: kind.kind }, 'documents of resources could not be read'))
    return following
  }
  await follow()
  opened.use(
    feed.subscribe(({ kind: changed }) => {
      if (changed === kind.documents.kind) void followNext()
    }),
  )
  const isAnnounced = (name: string): boolean => !placed.has(name) && registry.get(name) !== undefined
  const disposables = opened.move()

  return {
    kind: kind.kind,
    registry,
    documents: store,
    definition: kind.documents,
    async put(input, by, how = 'replace') {
      const document = parseResource(kind.documents, input)
      const { name } = document.metadata
      const exists = (await store.get(name)) !== undefined
      if (how === 'create' && exists) throw alreadyExists(kind.documents.existsText(name))
      if (how === 'update') await store.require(name)
      if (!exists && isAnnounced(name)) throw alreadyExists(`metadata.name: an agent announces "${name}" already; choose another name`)
      const { created, updated } = kind.codes
      await audit.emit(exists ? updated : created, { user: by, name, ...kind.auditFields(document) })
      const stored = await (exists ? store.update(input) : store.create(input))
      await followNext()
      return stored
    },
    async remove(name, by) {
      await store.require(name)
      await audit.emit(kind.codes.deleted, { user: by, name })
      await store.delete(name).catch(ignoreGone)
      await followNext()
    },
    async announce(announced, host, expires) {
      const { name } = announced
      if (!host.roles.includes(servedRoles[kind.kind]))
        throw badParameter(`its host joined with a token that lacks the role ${servedRoles[kind.kind]}; join again with one that has it`)
      const holder = registry.get(name)
      // Whoever was first keeps the name: else any agent could put itself in the place of another's resource.
      if (placed.has(name)) throw alreadyExists('a document has that name')
      if (holder && holder.via !== host.id) throw alreadyExists(`the host ${holder.via ?? ''} announces that name`)
      await registry.heartbeat(kind.announcedItem({ ...announced, labels: { ...announced.labels, ...host.labels } }, host.id), expires)
    },
    async dial(item, signal) {
      const target = dialTargetOf(item.uri) ?? ''
      if (item.via !== undefined) return through(item.via, target)(signal)
      const route = await byLabels?.(item.labels, target)
      if (route) return route(signal)
      const address = parseAddress(target)
      if (!address) throw badParameter(`"${item.uri}" names no host and port`)
      return tcpRoute(address)(signal)
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

/** Another proxy was first. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'not_found')) throw error
}

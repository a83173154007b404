/** The groups of people of the cluster: every document is in the list, on every proxy, from the moment it is stored until it is removed. */
import type { AuditCode } from '@sallyport/wire/audit/catalogue.ts'
import type { Audit } from '../audit/audit.ts'
import { openRegistry } from '../inventory/registry.ts'
import type { Registry, RegistryDeps } from '../inventory/registry.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { storedKind } from '../resources/managed-kinds.ts'
import type { ManagedKind } from '../resources/managed-kinds.ts'
import { createResourceStore } from '../resources/resources.ts'
import { itemOf, userGroupInventory, userGroupKind } from './user-group.ts'
import type { UserGroupItem } from './user-group.ts'

export interface UserGroups extends AsyncDisposable {
  readonly registry: Pick<Registry<UserGroupItem, never>, 'get' | 'list' | 'items'>
  readonly managed: ManagedKind
}

export interface UserGroupsDeps extends RegistryDeps {
  feed: ChangeFeed
  audit: Pick<Audit, 'emit'>
}

const codes = { saved: 'TUG00I', removed: 'TUG01I' } satisfies Record<string, AuditCode>

/** Resolves when every group that is stored is listed. */
export async function openUserGroups({ feed, audit, ...deps }: UserGroupsDeps): Promise<UserGroups> {
  const { db, clock, log } = deps
  await using opened = new AsyncDisposableStack()
  const store = createResourceStore(userGroupKind, { db, feed, clock })
  const registry = opened.use(await openRegistry(userGroupInventory, deps))
  const placed = new Map<string, { revision: string; place: Disposable }>()

  async function follow(): Promise<void> {
    const groups = await store.list()
    const known = new Set(groups.map(({ metadata }) => metadata.name))
    for (const [name, { place }] of placed) {
      if (known.has(name)) continue
      place[Symbol.dispose]()
      placed.delete(name)
    }
    for (const group of groups) {
      const { name, revision, expires } = group.metadata
      if (placed.get(name)?.revision === revision) continue
      placed.get(name)?.place[Symbol.dispose]()
      placed.set(name, { revision, place: registry.place(itemOf(group), expires === null ? Infinity : Date.parse(expires)) })
    }
  }
  let following = Promise.resolve()
  /** After what is under way: one after the other, so that an older reading never wins. */
  const followNext = (): Promise<void> => {
    following = following.then(follow).catch((error: unknown) => log.error({ err: error }, 'the user groups could not be read'))
    return following
  }
  await follow()
  opened.use(
    feed.subscribe(({ kind }) => {
      if (kind === userGroupKind.kind) void followNext()
    }),
  )
  const documents = storedKind({ definition: userGroupKind, store, audit, codes })
  const disposables = opened.move()
  return {
    registry,
    managed: {
      ...documents,
      async apply(document, how) {
        const applied = await documents.apply(document, how)
        await followNext()
        return applied
      },
      async remove(name, by) {
        await documents.remove(name, by)
        await followNext()
      },
    },
    [Symbol.asyncDispose]: () => disposables.disposeAsync(),
  }
}

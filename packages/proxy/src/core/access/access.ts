/** Checkers for people, kept while neither they nor any role changes. */
import { LRUCache } from 'lru-cache'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { createAccessChecker } from './checker.ts'
import type { AccessChecker } from './checker.ts'
import { roleKind } from './role.ts'
import type { RoleStore } from './role.ts'
import type { ActionLog } from './rule-actions.ts'
import type { Traits } from './templates.ts'

const cacheSize = 2000

export interface AccessIdentity {
  username: string
  /** Role names; one that does not exist (any more) grants nothing. */
  roles: readonly string[]
  traits: Traits
  /** Whether they come from a device that has proved itself. */
  onTrustedDevice?: boolean
}

export interface AccessService {
  checker(identity: AccessIdentity): Promise<AccessChecker>
}

export interface AccessServiceDeps {
  roles: RoleStore
  feed: ChangeFeed
  /** Gets what the actions of rules write. */
  log?: ActionLog
}

export function createAccessService({ roles, feed, log }: AccessServiceDeps): AccessService {
  const checkers = new LRUCache<string, Promise<AccessChecker>>({ max: cacheSize })
  feed.subscribe(({ kind }) => {
    if (kind === roleKind.kind) checkers.clear()
  })
  const build = async ({ username, roles: names, traits, onTrustedDevice = false }: AccessIdentity): Promise<AccessChecker> => {
    const found = await Promise.all([...new Set(names)].map((name) => roles.get(name)))
    return createAccessChecker({ username, roles: found.filter((role) => role !== undefined), traits, onTrustedDevice }, log)
  }
  return {
    checker(identity) {
      const key = JSON.stringify([identity.username, identity.roles, identity.traits, identity.onTrustedDevice ?? false])
      const known = checkers.get(key)
      if (known) return known
      const building = build(identity)
      checkers.set(key, building)
      // What could not be built is not kept: the next request tries again.
      building.catch(() => checkers.delete(key))
      return building
    },
  }
}

/** What locks would do, before they are placed. Of terminals only those of this process are counted. */
import type { LockEffect, LockTargets } from '@sallyport/wire/entities/lock.ts'
import { administratorsOf } from '../access/last-administrator.ts'
import type { RoleStore } from '../access/role.ts'
import type { Caller } from '../caller.ts'
import type { WebSessions } from '../identity/web-sessions.ts'
import type { LiveSessions } from '../sessions/live-sessions.ts'
import type { UserStore } from '../users.ts'
import { isHit, subjectOfCaller } from './lock.ts'
import type { LockSubject } from './lock.ts'
import type { LockView } from './lock-view.ts'

export interface LockEffectDeps {
  users: Pick<UserStore, 'list'>
  roles: Pick<RoleStore, 'list'>
  sessions: Pick<LiveSessions, 'list'>
  webSessions: Pick<WebSessions, 'signIns'>
  view: Pick<LockView, 'whyLocked'>
}

export type FindLockEffect = (targets: readonly LockTargets[], caller: Caller) => Promise<LockEffect>

export function createLockEffect({ users, roles, sessions, webSessions, view }: LockEffectDeps): FindLockEffect {
  return async (targets, caller) => {
    const everybody = await users.list()
    const rolesOf = new Map(everybody.map(({ metadata, spec }) => [metadata.name, spec.roles]))
    const hits = (user: string, more: Pick<LockSubject, 'login' | 'node' | 'mfaDevice' | 'device' | 'accessRequests'> = {}): boolean =>
      isHit(targets, { user, roles: rolesOf.get(user) ?? [], ...more })
    const administrators = administratorsOf({ users: everybody, roles: await roles.list() })
    const canSignIn = (user: string): boolean => view.whyLocked({ user, roles: rolesOf.get(user) ?? [] }) === undefined
    const signIns = await webSessions.signIns()
    return {
      self: isHit(targets, subjectOfCaller(caller)),
      lastAdministrator: administrators.some(canSignIn) && !administrators.some((user) => canSignIn(user) && !hits(user)),
      users: [...rolesOf.keys()].filter((user) => hits(user)).length,
      signIns: signIns.filter(({ user, mfaDevice }) => hits(user, { mfaDevice })).length,
      terminals: sessions
        .list()
        .filter(({ subject: { user, login, node, assumed, trustedDevice } }) =>
          hits(user, { login, node: node.id, device: trustedDevice?.id, accessRequests: assumed?.map(({ id }) => id) }),
        ).length,
    }
  }
}

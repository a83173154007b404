/** At the leaf: people of a root, with the roles that the trust gives them here. */
import type { Assertion } from '@sallyport/wire/cluster-link.ts'
import type { AccessService } from '../access/access.ts'
import type { Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { accessDenied } from '../errors.ts'
import { createLiveLogins } from '../identity/live-logins.ts'
import { subjectOfCaller } from '../locks/lock.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import type { UserStore } from '../users.ts'
import type { AskedRequest, Verifier } from './assertions.ts'
import type { RootClusters } from './root-clusters.ts'
import { mapRoles, roleMapOf, trustedClusterKind } from './trusted-cluster.ts'
import type { TrustedClusterStore } from './trusted-cluster.ts'

export interface Visitors extends Disposable {
  /** Who asks. Throws access denied for an assertion that does not count, for somebody without a role here, and for the locked. */
  callerOf(assertion: string, request: AskedRequest): Promise<Caller>
  /** A sign-in at a root has ended, and with it whatever lives on it. */
  over(root: string, login: string): void
}

export interface VisitorDeps {
  store: Pick<TrustedClusterStore, 'get'>
  roots: Pick<RootClusters, 'find'>
  verifier: Verifier
  access: AccessService
  users: Pick<UserStore, 'get'>
  locks: Pick<LockView, 'require'>
  feed: ChangeFeed
  clock: Clock
}

/** Under this kind the feed tells of sign-ins at roots that have ended; the name is that of the root and the sign-in's id. */
const visitKind = 'cluster_login'
const unknown = 'access to cluster denied: this cluster does not trust the one that asks'

/** How people of another cluster are called here, in the audit log and in sessions. */
export const visitorName = (user: string, root: string): string => `${user}-${root}`

export function createVisitors({ store, roots, verifier, access, users, locks, feed, clock }: VisitorDeps): Visitors {
  const live = createLiveLogins(clock)
  /** Sign-ins that something may live on here, by root. */
  const known = new Map<string, Set<string>>()
  const keyOf = (root: string, login: string): string => `${root}/${login}`

  function signalOf(root: string, { login, until }: Assertion): AbortSignal {
    const signal = live.signalOf(keyOf(root, login), until)
    const logins = known.get(root) ?? new Set()
    known.set(root, logins)
    if (!logins.has(login)) signal.addEventListener('abort', () => void logins.delete(login), { once: true })
    logins.add(login)
    return signal
  }
  const isTrusted = async (root: string): Promise<boolean> => (await store.get(root))?.spec.enabled === true

  const changes = feed.subscribe(({ kind, name }) => {
    if (kind === visitKind) return live.end(name)
    if (kind !== trustedClusterKind.kind) return
    const logins = [...(known.get(name) ?? [])]
    void isTrusted(name).then((trusted) => {
      if (!trusted) for (const login of logins) live.end(keyOf(name, login))
    })
  })

  return {
    async callerOf(text, request) {
      const issuer = verifier.issuerOf(text)
      const trusted = issuer === undefined ? undefined : await store.get(issuer)
      const root = issuer === undefined ? undefined : await roots.find(issuer)
      if (!trusted?.spec.enabled || !root) throw accessDenied(unknown)
      const assertion = verifier.verify(text, root, request)
      const { user, traits, login, until, mfaDevice, certificate } = assertion
      const username = visitorName(user, root.name)
      // Somebody of this very name owns sessions and recordings here.
      if (await users.get(username))
        throw accessDenied(`access to cluster denied: "${username}" is a user of this cluster; one of the two needs another name`)
      const roles = mapRoles(roleMapOf(trusted.spec), assertion.roles)
      if (roles.length === 0)
        throw accessDenied(
          'access to cluster denied: none of your roles is mapped to one of this cluster; its administrator can add it to role_map',
        )
      const identity = { username, roles, traits }
      const caller = { ...identity, mfaDevice, access: await access.checker(identity) }
      locks.require(subjectOfCaller(caller))
      const signal = signalOf(root.name, assertion)
      // The trust may have ended while all that was looked up.
      if (!(await isTrusted(root.name))) live.end(keyOf(root.name, login))
      if (signal.aborted || until <= clock.now()) throw accessDenied(unknown)
      return { ...caller, signal, sessionId: keyOf(root.name, login), sessionExpires: until, certificate }
    },
    over: (root, login) => feed.publish({ kind: visitKind, name: keyOf(root, login), operation: 'delete' }),
    [Symbol.dispose]() {
      changes[Symbol.dispose]()
      live[Symbol.dispose]()
    },
  }
}

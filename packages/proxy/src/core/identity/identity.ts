/** Everything around signing in, wired together. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { AccessService } from '../access/access.ts'
import type { AdministratorGuard } from '../access/last-administrator.ts'
import type { RoleStore } from '../access/role.ts'
import type { Audit } from '../audit/audit.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { webLoginKind } from '../resources/change-follower.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { expiryOf } from '../locks/lock.ts'
import type { Lock } from '../locks/lock.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { Log } from '../log.ts'
import type { Site } from '../site.ts'
import type { UserStore } from '../users.ts'
import { createAccountSecrets } from './account-secrets.ts'
import { createAccountStates } from './account-states.ts'
import { createAccounts } from './accounts.ts'
import { createChangePassword } from './change-password.ts'
import { createChallenges } from './challenges.ts'
import { createDevices } from './devices.ts'
import { createEnrolment } from './enrolment.ts'
import { createFactors } from './factors.ts'
import { createHeadlessSearches } from './headless-searches.ts'
import { createHeadless } from './headless.ts'
import { createLiveLogins } from './live-logins.ts'
import { createLockout, recoveryLockout, signInLockout } from './lockout.ts'
import { createNewDevices } from './new-device.ts'
import { createOwnDevices } from './own-devices.ts'
import { createPasswords } from './passwords.ts'
import { createPeople } from './people.ts'
import { createPrivilege } from './privilege.ts'
import { createRecovery } from './recovery.ts'
import { createRecoveryCodes } from './recovery-codes.ts'
import { createSetUp } from './set-up.ts'
import { createSignIn } from './sign-in.ts'
import { createSignIns } from './sign-ins.ts'
import { createUserTokens } from './user-tokens.ts'
import { createWebauthn } from './webauthn.ts'
import { createWebSessions } from './web-sessions.ts'

export interface IdentityDeps {
  db: Kysely<Database>
  clock: Clock
  log: Log
  masterKey: MasterKey
  site: Site
  audit: Pick<Audit, 'emit'>
  users: UserStore
  roles: Pick<RoleStore, 'get'>
  administrators: AdministratorGuard
  access: AccessService
  settings: ClusterSettings
  feed: Pick<ChangeFeed, 'subscribe' | 'publish'>
  lockView: LockView
  clusterName: string
  /** Whether other proxies have the same database. */
  isShared: boolean
}

const sweepEvery = 60_000

export function createIdentity({
  db,
  clock,
  log,
  masterKey,
  site,
  audit,
  users,
  roles,
  administrators,
  access,
  settings,
  feed,
  lockView,
  clusterName,
  isShared,
}: IdentityDeps) {
  const people = createPeople(users, access)
  const live = createLiveLogins(clock)
  const sessions = createWebSessions({ db, clock, masterKey, people, live, settings, locks: lockView, feed })
  const tokens = createUserTokens(db, masterKey, clock)
  const challenges = createChallenges(db, clock)
  const devices = createDevices(db, masterKey, clock)
  const lockout = createLockout(db, clock, signInLockout)
  const recoveryFailures = createLockout(db, clock, recoveryLockout)
  const codes = createRecoveryCodes(db, clock)
  const passwords = createPasswords()
  const webauthn = createWebauthn(site, challenges)
  const accounts = createAccounts({ db, users, roles, administrators, tokens, sessions, lockout, audit, clock })
  const factors = createFactors({ db, clock, settings, devices, passwords, webauthn, locks: lockView })
  const signIn = createSignIn({ settings, people, factors, lockout, sessions, audit, clock })
  const newDevices = createNewDevices({ settings, devices, webauthn, clock })
  const setUp = createSetUp({ db, settings, tokens, devices, newDevices, passwords, codes, people, lockout, sessions, signIn, audit })
  const changePassword = createChangePassword({ db, factors, lockout, passwords, audit })
  const enrolment = createEnrolment({ settings, clusterName, db, tokens, devices, webauthn, site })
  const privilege = createPrivilege({ db, tokens, factors, lockout, audit })
  const ownDevices = createOwnDevices({ db, settings, tokens, people, factors, devices, newDevices, audit })
  const searches = isShared ? createHeadlessSearches({ db, feed, clock }) : undefined
  const headless = createHeadless({ audit, clock, settings, factors, searches, log })
  const recovery = createRecovery({
    db,
    settings,
    people,
    factors,
    tokens,
    devices,
    newDevices,
    codes,
    passwords,
    recoveryLockout: recoveryFailures,
    lockout,
    sessions,
    audit,
  })
  const signIns = createSignIns(db, clock, sessions)
  const accountStates = createAccountStates(db, lockout, lockView)
  const accountSecrets = createAccountSecrets(db, devices)

  const sweep = async (): Promise<void> => {
    for (const part of [sessions, tokens, challenges, lockout, recoveryFailures]) await part.sweep()
  }
  let background = Promise.resolve()
  const later = (work: () => Promise<void>, failure: string): Promise<void> => {
    background = background.then(work).catch((error: unknown) => log.warn({ err: error }, failure))
    return background
  }
  const timer = setInterval(() => void later(sweep, 'expired sign-in records could not be removed; the next round tries again'), sweepEvery)
  timer.unref()
  const endLocked = (locks: readonly Lock[]): Promise<void> => {
    const inForce = locks.filter((lock) => expiryOf(lock) > clock.now())
    return later(() => sessions.endLocked(inForce), 'sessions could not be ended for a lock; their requests are refused all the same')
  }
  lockView.onLocks(endLocked)
  // One that was placed while no proxy ran.
  void endLocked(lockView.all())
  const signOuts = feed.subscribe(({ kind, name, operation }) => {
    // Whoever is signed out by a lock has been told so first.
    if (kind === webLoginKind && operation === 'delete') void lockView.settled().then(() => live.end(name))
  })
  return {
    services: {
      people,
      sessions,
      tokens,
      devices,
      lockout,
      webauthn,
      factors,
      headless,
      signIn,
      setUp,
      changePassword,
      enrolment,
      privilege,
      ownDevices,
      recovery,
      codes,
      accounts,
      accountStates,
      accountSecrets,
      signIns,
    },
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer)
      headless[Symbol.dispose]()
      signOuts[Symbol.dispose]()
      live[Symbol.dispose]()
      await background
    },
  }
}

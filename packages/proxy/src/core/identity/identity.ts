/** Everything around signing in, wired together. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { AccessService } from '../access/access.ts'
import type { Audit } from '../audit/audit.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { ChangeFeed } from '../change-feed.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster-settings.ts'
import type { Log } from '../log.ts'
import type { Site } from '../site.ts'
import { userKind } from '../users.ts'
import type { UserStore } from '../users.ts'
import { createAccounts } from './accounts.ts'
import { createChangePassword } from './change-password.ts'
import { createChallenges } from './challenges.ts'
import { createDevices } from './devices.ts'
import { createEnrolment } from './enrolment.ts'
import { createFactors } from './factors.ts'
import { createJoinTokens } from './join-tokens.ts'
import { createLiveLogins } from './live-logins.ts'
import { createLockout } from './lockout.ts'
import { createPasswords } from './passwords.ts'
import { createPeople } from './people.ts'
import { createSetUp } from './set-up.ts'
import { createSignIn } from './sign-in.ts'
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
  access: AccessService
  feed: Pick<ChangeFeed, 'subscribe'>
  settings: ClusterSettings
  clusterName: string
}

const sweepEvery = 60_000

export function createIdentity({ db, clock, log, masterKey, site, audit, users, access, feed, settings, clusterName }: IdentityDeps) {
  const people = createPeople(users, access)
  const live = createLiveLogins(clock)
  const sessions = createWebSessions({ db, clock, masterKey, people, live, settings })
  const tokens = createUserTokens(db, masterKey, clock)
  const challenges = createChallenges(db, clock)
  const devices = createDevices(db, masterKey, clock)
  const lockout = createLockout(db, clock)
  const passwords = createPasswords()
  const webauthn = createWebauthn(site, challenges)
  const accounts = createAccounts({ db, users, tokens, sessions, lockout, audit, clock })
  const factors = createFactors({ db, clock, settings, devices, passwords, webauthn })
  const signIn = createSignIn({ settings, people, factors, lockout, sessions, audit })
  const setUp = createSetUp({
    settings,
    db,
    clock,
    tokens,
    devices,
    passwords,
    webauthn,
    people,
    lockout,
    sessions,
    signIn,
    audit,
  })
  const changePassword = createChangePassword({ db, factors, lockout, passwords, audit })
  const enrolment = createEnrolment({ settings, clusterName, db, tokens, devices, webauthn, site })
  const joinTokens = createJoinTokens(db, audit, clock)

  const sweep = async (): Promise<void> => {
    for (const part of [sessions, tokens, challenges, joinTokens, lockout]) await part.sweep()
  }
  let background = Promise.resolve()
  const later = (work: () => Promise<void>, failure: string): void => {
    background = background.then(work).catch((error: unknown) => log.warn({ err: error }, failure))
  }
  const timer = setInterval(() => later(sweep, 'expired sign-in records could not be removed; the next round tries again'), sweepEvery)
  timer.unref()
  const deletions = feed.subscribe(({ kind, name, operation }) => {
    if (kind === userKind.kind && operation === 'delete')
      later(() => accounts.forget(name), 'what belonged to a deleted user could not be removed')
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
      signIn,
      setUp,
      changePassword,
      enrolment,
      accounts,
      joinTokens,
    },
    async [Symbol.asyncDispose](): Promise<void> {
      clearInterval(timer)
      deletions[Symbol.dispose]()
      live[Symbol.dispose]()
      await background
    },
  }
}

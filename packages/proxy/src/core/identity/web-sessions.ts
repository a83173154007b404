/**
 * Web sessions and bearers. A sign-in starts a family of sessions: every renewal adds one with a new cookie and bearer,
 * older ones lapse by themselves so that parallel tabs stay alive, and signing out ends the whole family at once.
 * Nothing is cached: a session that ends is gone for the next request.
 */
import type { Kysely, Selectable } from 'kysely'
import { bearerTtl, localSessionTtl, ssoSessionTtl } from '@sallyport/wire/limits.ts'
import type { SessionWire } from '@sallyport/wire/entities/session.ts'
import type { Database } from '../../store/db.ts'
import type { WebSessionsTable } from '../../store/schema/web-sessions.ts'
import { requireOneForResources } from '../access/assumed.ts'
import type { AssumedRequest } from '../access/assumed.ts'
import { smallest } from '../access/combine-options.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Actor, Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import type { ClusterSettings } from '../cluster/cluster-settings.ts'
import { notFound } from '../errors.ts'
import { isHit } from '../locks/lock.ts'
import type { Lock, LockSubject } from '../locks/lock.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import { webLoginKind } from '../resources/change-follower.ts'
import { noRequests, requestsOf, textOfRequests } from './assumed-text.ts'
import { accessHeld, withRoles } from './held-access.ts'
import type { LiveLogins } from './live-logins.ts'
import type { People, Person } from './people.ts'
import { hashOf, randomHex } from './secrets.ts'
import { requireKeyPolicy } from './session-policy.ts'

/** What the session cookie holds. */
export interface SessionId {
  user: string
  sid: string
}

export interface WebSession {
  user: string
  sid: string
  loginId: string
  /** Epoch milliseconds. */
  loginTime: number
  loginIp: string
  userAgent: string
  mfaDevice: string | undefined
  /** Roles and resources that were given for a while; the session ends with the first of them. */
  assumed: readonly AssumedRequest[]
  expires: number
}

/** A new cookie, and the answer that goes with it. */
export interface Started {
  cookie: SessionId
  answer: SessionWire
}

export interface SignInOfPerson {
  loginId: string
  user: string
  mfaDevice: string | undefined
}

export interface WebSessions {
  /** Throws LockRefusal when `start` would. */
  requireUnlocked(person: Person, device: { id: string } | undefined): Promise<void>
  /** `device`: with which they proved themselves. Throws LockRefusal. */
  start(person: Person, ip: string, userAgent?: string, device?: { id: string }): Promise<Started>
  /** How long a session of this person lasts that begins now, in milliseconds. */
  lifetimeOf(person: Person): Promise<number>
  /**
   * A new session of the same family. `switchback` drops what was assumed and counts the time to live from the sign-in again.
   * Throws not found when it is over, LockRefusal, bad parameter for access that this session cannot assume.
   */
  renew(session: WebSession, mode: 'plain' | 'switchback' | { assume: AssumedRequest }): Promise<Started>
  /** Ends every session of the sign-in; sockets close. */
  end(session: Pick<WebSession, 'loginId'>): Promise<void>
  /** Ends every session of a user. */
  endAllOf(user: string): Promise<void>
  /** Ends every other sign-in of a user than that of session `sid`. */
  endOthersOf(user: string, sid: string): Promise<void>
  /** Of everybody. */
  signIns(): Promise<SignInOfPerson[]>
  /** Ends for good whatever one of these locks hits. */
  endLocked(locks: readonly Lock[]): Promise<void>
  /** Why a session that is not found is over, when it was a lock that is still in force. */
  whyLocked(cookie: SessionId): Promise<string | undefined>
  find(cookie: SessionId): Promise<WebSession | undefined>
  /** The user of a bearer that is alive. */
  bearerUser(bearer: string): Promise<string | undefined>
  /** Undefined when the user is gone. `by: own`: with what they hold themselves, as if nothing had been assumed. */
  callerOf(session: WebSession, by?: 'own'): Promise<Caller | undefined>
  /**
   * Whoever a sign-in is of, as their document is now, with what one of its sessions had assumed. Undefined when the sign-in
   * is over, or that access is.
   */
  actorOf(login: Pick<WebSession, 'loginId' | 'assumed'>): Promise<Actor | undefined>
  /** The answer for the newest bearer; its time left may be negative. Undefined when there is none. */
  currentAnswer(session: WebSession): Promise<SessionWire | undefined>
  /** Forgets what is long over. */
  sweep(): Promise<void>
}

export interface WebSessionDeps {
  db: Kysely<Database>
  clock: Clock
  masterKey: MasterKey
  people: People
  live: LiveLogins
  settings: Pick<ClusterSettings, 'authPreference' | 'networking'>
  locks: Pick<LockView, 'require' | 'whyLocked'>
  /** Told of sign-ins that end, for those who live on them in other processes. */
  feed: Pick<ChangeFeed, 'publish'>
}

const idBytes = 32
const sealContext = (loginId: string): string => `bearer/${loginId}`

export function createWebSessions({ db, clock, masterKey, people, live, settings, locks, feed }: WebSessionDeps): WebSessions {
  const signOut = (loginId: string): void => {
    live.end(loginId)
    feed.publish({ kind: webLoginKind, name: loginId, operation: 'delete' })
  }
  const answerFor = (bearer: string, bearerExpires: number, sessionExpires: number): SessionWire => ({
    type: 'Bearer',
    token: bearer,
    expires_in: Math.round((bearerExpires - clock.now()) / 1000),
    sessionExpires: new Date(sessionExpires).toISOString(),
    sessionInactiveTimeout: settings.networking.web_idle_timeout,
  })
  const ttlOf = async (person: Person): Promise<number> => {
    const { maxSessionTtl } = (await people.accessOf(person)).options
    const { default_session_ttl: given } = settings.authPreference
    // People of a provider have its longer default, unless the cluster sets a time of its own.
    const longest = person.local || given !== localSessionTtl ? given : ssoSessionTtl
    return maxSessionTtl > 0 ? Math.min(longest, maxSessionTtl) : longest
  }

  const subjectOf = async (person: Person, { mfaDevice, assumed }: Pick<WebSession, 'mfaDevice' | 'assumed'>): Promise<LockSubject> => {
    const { lockMode } = (await people.accessOf(person)).options
    const roles = [...person.roles, ...assumed.flatMap((request) => request.roles)]
    return { user: person.name, roles, mfaDevice, accessRequests: assumed.map(({ id }) => id), mode: lockMode }
  }

  /** What a session holds once it has assumed one more request, and when it ends then. */
  async function assume(session: WebSession, person: Person, request: AssumedRequest): Promise<Pick<WebSession, 'assumed' | 'expires'>> {
    const others = session.assumed.filter(({ id }) => id !== request.id)
    const assumed = [...others, request]
    requireOneForResources(assumed)
    const { options } = await people.accessOf(
      withRoles(
        person,
        assumed.flatMap(({ roles }) => roles),
      ),
    )
    requireKeyPolicy({ options }, settings.authPreference)
    const ends = [session.expires, request.expires, options.maxSessionTtl > 0 ? clock.now() + options.maxSessionTtl : 0]
    return { assumed, expires: smallest(ends) }
  }

  async function open(person: Person, login: Omit<WebSession, 'sid'>): Promise<Started> {
    const subject = await subjectOf(person, login)
    locks.require(subject)
    const started = await insert(login)
    try {
      // One that was placed meanwhile may have ended the sessions of this person before there was this one.
      locks.require(subject)
    } catch (error) {
      await remove(login.loginId)
      throw error
    }
    return started
  }

  async function insert(login: Omit<WebSession, 'sid'>): Promise<Started> {
    const sid = randomHex(idBytes)
    const bearer = randomHex(idBytes)
    const now = clock.now()
    const bearerExpires = Math.min(login.expires, now + bearerTtl)
    await db.transaction().execute(async (transaction) => {
      await transaction
        .insertInto('web_sessions')
        .values({ hash: hashOf(sid), ...rowOf(login) })
        .execute()
      await transaction
        .insertInto('bearers')
        .values({
          hash: hashOf(bearer),
          user: login.user,
          login_id: login.loginId,
          sealed: masterKey.seal(Buffer.from(bearer), sealContext(login.loginId)),
          created: now,
          expires: bearerExpires,
        })
        .execute()
    })
    return { cookie: { user: login.user, sid }, answer: answerFor(bearer, bearerExpires, login.expires) }
  }

  async function remove(loginId: string): Promise<void> {
    await db.deleteFrom('web_sessions').where('login_id', '=', loginId).execute()
    await db.deleteFrom('bearers').where('login_id', '=', loginId).execute()
    signOut(loginId)
  }

  /** The older sessions of the sign-in hold it no more either, so that what lives on it can see that it was dropped. */
  async function giveBack(loginId: string): Promise<void> {
    await db.updateTable('web_sessions').set({ assumed: noRequests }).where('login_id', '=', loginId).execute()
  }

  async function signIns(): Promise<SignInOfPerson[]> {
    const alive = db.selectFrom('web_sessions').where('expires', '>', clock.now())
    const rows = await alive.select(['login_id', 'user', 'mfa_device']).distinct().execute()
    return rows.map(({ login_id, user, mfa_device }) => ({ loginId: login_id, user, mfaDevice: mfa_device ?? undefined }))
  }

  async function endSignIns(user: string, except: string | undefined): Promise<void> {
    let sessions = db.deleteFrom('web_sessions').where('user', '=', user)
    let bearers = db.deleteFrom('bearers').where('user', '=', user)
    if (except !== undefined) {
      sessions = sessions.where('login_id', '!=', except)
      bearers = bearers.where('login_id', '!=', except)
    }
    const ended = await sessions.returning('login_id').execute()
    await bearers.execute()
    for (const loginId of new Set(ended.map((row) => row.login_id))) signOut(loginId)
  }

  async function callerOf(session: WebSession, by?: 'own'): Promise<Caller | undefined> {
    const found = await people.find(session.user)
    if (!found) return undefined
    const { assumed } = session
    return {
      ...(await accessHeld(people, found, by === 'own' ? [] : assumed)),
      mfaDevice: session.mfaDevice,
      ...(assumed.length > 0 && { assumed }),
      sessionId: session.sid,
      sessionExpires: session.expires,
      signal:
        assumed.length === 0
          ? live.signalOf(session.loginId, session.expires)
          : live.assumedSignalOf(session.loginId, assumed.map(({ id }) => id).join(), session.expires),
    }
  }

  return {
    requireUnlocked: async (person, device) => locks.require(await subjectOf(person, { mfaDevice: device?.id, assumed: [] })),
    async start(person, ip, userAgent = '', device) {
      const now = clock.now()
      const expires = now + (await ttlOf(person))
      return open(person, {
        user: person.name,
        loginId: randomHex(idBytes),
        loginTime: now,
        loginIp: ip,
        userAgent,
        mfaDevice: device?.id,
        assumed: [],
        expires,
      })
    },
    lifetimeOf: ttlOf,
    async renew(session, mode) {
      const person = await people.find(session.user)
      if (!person || session.expires <= clock.now()) throw notFound('web session has expired')
      const allowed = session.loginTime + (await ttlOf(person))
      // A plain renewal never lengthens a sign-in, but roles that allow less by now shorten it.
      const next =
        mode === 'switchback' ? { assumed: [], expires: allowed } : mode === 'plain' ? session : await assume(session, person, mode.assume)
      const expires = Math.min(next.expires, allowed)
      if (expires <= clock.now()) throw notFound('web session has expired')
      const { sid: _old, ...login } = session
      if (mode === 'switchback') await giveBack(login.loginId)
      return open(person, { ...login, assumed: next.assumed, expires })
    },
    end: ({ loginId }) => remove(loginId),
    signIns,
    async endLocked(hitting) {
      const targets = hitting.map(({ spec }) => spec.target)
      for (const { loginId, user, mfaDevice } of await signIns()) {
        const roles = (await people.find(user))?.roles ?? []
        if (!isHit(targets, { user, roles, mfaDevice })) continue
        const over = db.selectFrom('web_sessions').select(['hash', 'user', 'mfa_device', 'expires']).where('login_id', '=', loginId)
        await db
          .insertInto('locked_sessions')
          .columns(['hash', 'user', 'mfa_device', 'expires'])
          .expression(over)
          .onConflict((conflict) => conflict.column('hash').doNothing())
          .execute()
        await remove(loginId)
      }
    },
    async whyLocked({ user, sid }) {
      const over = await db.selectFrom('locked_sessions').selectAll().where('hash', '=', hashOf(sid)).executeTakeFirst()
      if (!over || over.user !== user || over.expires <= clock.now()) return undefined
      const person = await people.find(user)
      return locks.whyLocked({ user, roles: person?.roles ?? [], mfaDevice: over.mfa_device ?? undefined })
    },
    endAllOf: (user) => endSignIns(user, undefined),
    async endOthersOf(user, sid) {
      const own = await db.selectFrom('web_sessions').select('login_id').where('hash', '=', hashOf(sid)).executeTakeFirst()
      await endSignIns(user, own?.login_id)
    },
    async find({ user, sid }) {
      const row = await db.selectFrom('web_sessions').selectAll().where('hash', '=', hashOf(sid)).executeTakeFirst()
      return row && row.user === user && row.expires > clock.now() ? sessionOf(row, sid) : undefined
    },
    async bearerUser(bearer) {
      const row = await db.selectFrom('bearers').select(['user', 'expires']).where('hash', '=', hashOf(bearer)).executeTakeFirst()
      return row && row.expires > clock.now() ? row.user : undefined
    },
    callerOf,
    async actorOf({ loginId, assumed }) {
      const alive = db.selectFrom('web_sessions').selectAll().where('login_id', '=', loginId).where('expires', '>', clock.now())
      const rows = assumed.length === 0 ? alive : alive.where('assumed', '=', textOfRequests(assumed))
      const row = await rows.orderBy('expires', 'desc').limit(1).executeTakeFirst()
      return row && callerOf({ ...sessionOf(row, ''), assumed })
    },
    async currentAnswer(session) {
      const row = await db
        .selectFrom('bearers')
        .selectAll()
        .where('login_id', '=', session.loginId)
        .orderBy('created', 'desc')
        .orderBy('expires', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && answerFor(masterKey.open(row.sealed, sealContext(session.loginId)).toString('utf8'), row.expires, session.expires)
    },
    async sweep() {
      const now = clock.now()
      await db.deleteFrom('web_sessions').where('expires', '<=', now).execute()
      await db.deleteFrom('locked_sessions').where('expires', '<=', now).execute()
      const alive = db.selectFrom('web_sessions').select('login_id')
      await db.deleteFrom('bearers').where('expires', '<=', now).where('login_id', 'not in', alive).execute()
      // Of a sign-in that goes on, only bearers that were followed by newer ones for long are dropped.
      await db
        .deleteFrom('bearers')
        .where('expires', '<=', now - 2 * bearerTtl)
        .execute()
    },
  }
}

const rowOf = (login: Omit<WebSession, 'sid'>) => ({
  user: login.user,
  login_id: login.loginId,
  login_time: login.loginTime,
  login_ip: login.loginIp,
  user_agent: login.userAgent,
  mfa_device: login.mfaDevice ?? null,
  assumed: textOfRequests(login.assumed),
  expires: login.expires,
})

const sessionOf = (row: Selectable<WebSessionsTable>, sid: string): WebSession => ({
  user: row.user,
  sid,
  loginId: row.login_id,
  loginTime: row.login_time,
  loginIp: row.login_ip,
  userAgent: row.user_agent,
  mfaDevice: row.mfa_device ?? undefined,
  assumed: requestsOf(row.assumed),
  expires: row.expires,
})

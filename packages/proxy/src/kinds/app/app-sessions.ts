/** The sessions that people have on applications: rows at rest, open in the processes that serve them. */
import { randomUUID } from 'node:crypto'
import { accessTo, actorAt } from '../../core/access/assumed.ts'
import type { Caller } from '../../core/caller.ts'
import { accessDenied } from '../../core/errors.ts'
import { accessHeld } from '../../core/identity/held-access.ts'
import { hashOf } from '../../core/identity/secrets.ts'
import type { People } from '../../core/identity/people.ts'
import { clientFields } from '../../core/identity/sign-in.ts'
import type { WebSessions } from '../../core/identity/web-sessions.ts'
import type { Client } from '../../core/route.ts'
import { proofFields } from '../../core/sessions/subject.ts'
import { writeEnd } from '../../core/sessions/write-end.ts'
import type { ServedApp } from './app.ts'
import type { AssertedPerson } from './assertions.ts'
import { appSessionFields, openAppSession } from './open-app-session.ts'
import type { OpenAppSession, OpenAppSessionDeps } from './open-app-session.ts'
import type { ServedApps } from './resolve-app.ts'
import { isSame, isSessionValue } from './session-store.ts'
import type { AppSession, AppSessionStore } from './session-store.ts'

/** What a browser shows on the host of an application. */
export interface Shown {
  readonly host: string
  readonly value: string | undefined
  readonly subject: string | undefined
  readonly ip: string
}

/** Somebody who may use the application now. */
export interface Visit {
  readonly open: OpenAppSession
  readonly app: ServedApp
  readonly person: AssertedPerson
}

export interface AppSessions extends AsyncDisposable {
  /** What the browser has to show from now on. Throws access denied. Rejects when the start cannot be written down. */
  begin(app: ServedApp, host: string, caller: Caller, client: Client, withMfa?: string): Promise<{ value: string; subject: string }>
  /** The session that is shown, when there is one. Throws access denied when the two values do not belong together. */
  find(shown: Shown): Promise<AppSession | undefined>
  /** Undefined without a session. Throws access denied, also when the person may not use the application any more. */
  admit(shown: Shown): Promise<Visit | undefined>
  /** Ends it for good. */
  end(session: AppSession): Promise<void>
}

export interface AppSessionsDeps extends OpenAppSessionDeps {
  store: AppSessionStore
  apps: Pick<ServedApps, 'registry' | 'dial'>
  sessions: Pick<WebSessions, 'actorOf' | 'find'>
  people: Pick<People, 'find' | 'accessOf'>
}

/** How late, in milliseconds, it may be noticed that another process ended a session. */
const checkEvery = 500
const sweepEvery = 60_000
/** Open sessions are asked about in so many at a time. */
const batch = 500

export function createAppSessions(deps: AppSessionsDeps): AppSessions {
  const { store, apps, sessions, people, audit, clock, log } = deps
  const opened = new Map<string, Promise<OpenAppSession | undefined>>()
  let background: Promise<unknown> = Promise.resolve()
  const later = (work: () => Promise<unknown>, failure: string): void => {
    background = Promise.all([background, work().catch((error: unknown) => log.error({ err: error }, failure))])
  }

  /** In this process first, so that nothing more is asked in it. */
  async function finish(session: AppSession, disconnected?: string): Promise<void> {
    const open = opened.get(session.hash)
    opened.delete(session.hash)
    await (await open)?.close()
    // Of several processes that notice the end, one tells of it.
    if (await store.remove(session.hash)) await tellEnd(session, disconnected)
  }
  const tellEnd = (session: AppSession, disconnected?: string): Promise<void> =>
    writeEnd(audit, 'T2011I', appSessionFields(session, apps.registry.get(session.app)), disconnected)
  async function sweep(): Promise<void> {
    for (const session of await store.sweep()) await tellEnd(session)
  }

  async function open(session: AppSession): Promise<OpenAppSession | undefined> {
    const app = apps.registry.get(session.app)
    const actor = await sessions.actorOf(session)
    if (!app || !actor) return undefined
    const onEnd = (disconnected?: string): void =>
      later(() => finish(session, disconnected), 'the end of an application session could not be written down')
    return openAppSession({ session, app, actor: actorAt(actor, 'app', app.id) }, deps, onEnd)
  }

  function opening(session: AppSession): Promise<OpenAppSession | undefined> {
    const known = opened.get(session.hash)
    if (known) return known
    const fresh = open(session)
    opened.set(session.hash, fresh)
    const forget = (): void => {
      if (opened.get(session.hash) === fresh) opened.delete(session.hash)
    }
    fresh.then((result) => {
      if (!result || result.signal.aborted) forget()
    }, forget)
    return fresh
  }

  async function find({ host, value, subject, ip }: Shown): Promise<AppSession | undefined> {
    if (!isSessionValue(value) || !isSessionValue(subject)) return undefined
    const hash = hashOf(value)
    const session = (await opened.get(hash))?.session ?? (await store.find(hash))
    if (!session || session.expires <= clock.now()) return undefined
    // A session of one application opens no other, and its id alone opens nothing.
    if (session.host === host && isSame(subject, session.subjectHash)) return session
    await audit.emit('T3007W', {
      user: session.user,
      success: false,
      error: 'what a browser shows as its session of an application does not belong together',
      'addr.remote': ip,
    })
    throw accessDenied('access denied: the session belongs to another application')
  }

  async function checkOpen(): Promise<void> {
    for (const open of await Promise.all(opened.values())) if (open && !apps.registry.get(open.session.app)) await finish(open.session)
    const hashes = [...opened.keys()]
    for (let from = 0; from < hashes.length; from += batch)
      for (const hash of await store.gone(hashes.slice(from, from + batch))) {
        const gone = await opened.get(hash)
        if (gone) await finish(gone.session)
      }
  }
  let isChecking = false
  const checking = setInterval(() => {
    if (isChecking || opened.size === 0) return
    isChecking = true
    later(() => checkOpen().finally(() => (isChecking = false)), 'the application sessions could not be looked up')
  }, checkEvery).unref()
  const sweeping = setInterval(() => later(sweep, 'ended application sessions could not be removed'), sweepEvery).unref()

  return {
    async begin(app, host, caller, client, withMfa) {
      const web = await sessions.find({ user: caller.username, sid: caller.sessionId })
      if (!web) throw accessDenied('need auth')
      const { username: user, sessionExpires: expires } = caller
      const given = { sid: randomUUID(), user, loginId: web.loginId, assumed: web.assumed, app: app.id, host, expires }
      await audit.emit('T2007I', { ...appSessionFields(given, app), ...proofFields(withMfa), ...clientFields(client) })
      const { session, value, subject } = await store.create(given)
      await opening(session)
      return { value, subject }
    },
    find,
    async admit(shown) {
      const session = await find(shown)
      const visited = session && (await opening(session))
      if (!session || !visited || visited.signal.aborted) return undefined
      const app = apps.registry.get(session.app)
      const person = await people.find(session.user)
      if (!app || !person) return undefined
      // As their roles are now.
      const held = await accessHeld(people, person, session.assumed)
      const decision = accessTo(held, 'app', app.id).checkResource('app', app.labels)
      if (!decision.allowed) throw accessDenied(decision.reason)
      const { username, roles, traits } = held
      return { open: visited, app, person: { username, roles, traits } }
    },
    end: (session) => finish(session),
    async [Symbol.asyncDispose]() {
      clearInterval(checking)
      clearInterval(sweeping)
      const open = await Promise.all(opened.values())
      await Promise.all(open.flatMap((each) => each?.close() ?? []))
      await background
    },
  }
}

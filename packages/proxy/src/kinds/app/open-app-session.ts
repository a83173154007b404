/** An app session in a process that serves it: its connections, its record, its place among the active sessions, and its end. */
import type { AuditFields } from '../../core/audit/audit.ts'
import type { Actor } from '../../core/caller.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import { actorFields } from '../../core/sessions/subject.ts'
import type { RunningSessions } from '../../core/sessions/running-sessions.ts'
import type { ServedApp } from './app.ts'
import { createAssertion } from './assertions.ts'
import type { AssertedPerson, AssertionDeps } from './assertions.ts'
import { AppConnections } from './connections.ts'
import type { ServedApps } from './resolve-app.ts'
import type { AppSession } from './session-store.ts'
import { createTrafficLog } from './traffic-log.ts'
import type { TrafficLog, TrafficLogDeps } from './traffic-log.ts'

export interface OpenAppSession {
  readonly session: AppSession
  /** Aborts when it ends, or this process lets go of it. */
  readonly signal: AbortSignal
  readonly traffic: TrafficLog
  /** To the application as it is now. */
  connectionsTo(app: ServedApp): AppConnections
  /** What the application is told about the person. */
  assert(app: ServedApp, person: AssertedPerson): Promise<string>
  touch(): void
  /** Cuts what is under way. The session itself goes on wherever it is used next. */
  close(): Promise<void>
}

export interface OpenAppSessionDeps extends AssertionDeps, TrafficLogDeps {
  apps: Pick<ServedApps, 'dial'>
  running: Pick<RunningSessions, 'run'>
}

/** What every event of a session tells. The application may be gone by the end of it. */
export const appSessionFields = (
  session: Pick<AppSession, 'sid' | 'user' | 'app' | 'host' | 'assumed'> & Pick<Actor, 'isBot' | 'trustedDevice'>,
  app: ServedApp | undefined,
): AuditFields => ({
  sid: session.sid,
  ...actorFields({ ...session, username: session.user }),
  // The host whose agent serves it; empty where the proxy reaches it itself.
  server_id: app?.via ?? '',
  app_name: session.app,
  app_public_addr: session.host,
  ...(app && { app_uri: app.uri, app_labels: app.labels }),
})

/**
 * `onEnd` is called once, possibly at once, when something ends the session: its time, a lock, an administrator, a sign-out;
 * with the reason where the person was cut off.
 */
export function openAppSession(
  { session, app, actor }: { session: AppSession; app: ServedApp; actor: Actor },
  deps: OpenAppSessionDeps,
  onEnd: (disconnected?: string) => void,
): OpenAppSession {
  const over = new AbortController()
  const traffic = createTrafficLog(appSessionFields(session, app), actor.access.options.recordOthers === 'strict', deps)
  const assertion = createAssertion(deps, session.expires)
  let connections: { to: string; agent: AppConnections } | undefined
  const held = new DisposableStack()
  const cut = (): void => {
    held.dispose()
    over.abort(new Error('the application session ended'))
    connections?.agent.destroy()
  }
  const end = (disconnected?: string): void => {
    if (over.signal.aborted) return
    cut()
    onEnd(disconnected)
  }
  const signedOut = (): void => end()
  const place = deps.running.run(
    {
      kind: 'app',
      user: session.user,
      login: '',
      tracker: { app_name: app.id, recorded: deps.isRecorded() },
      lockedBy: subjectOfCaller(actor),
      until: session.expires,
      idleTimeout: 0,
      onEnd: (reason) => end(session.expires > deps.clock.now() ? reason : undefined),
    },
    session.sid,
  )
  // A lock that is in force has ended it already.
  if (over.signal.aborted) place[Symbol.dispose]()
  else {
    held.use(place)
    held.defer(() => actor.signal.removeEventListener('abort', signedOut))
    actor.signal.addEventListener('abort', signedOut, { once: true })
    if (actor.signal.aborted) end()
  }
  return {
    session,
    signal: over.signal,
    traffic,
    connectionsTo(current) {
      const to = JSON.stringify([current.uri, current.via, current.isInsecure])
      if (connections?.to !== to) {
        connections?.agent.destroy()
        const dial = (signal: AbortSignal) => deps.apps.dial(current, signal)
        connections = { to, agent: new AppConnections({ uri: new URL(current.uri), isInsecure: current.isInsecure, dial }) }
      }
      return connections.agent
    },
    assert: (current, person) => assertion(current.uri, person),
    touch: () => place.touch(),
    async close() {
      if (!over.signal.aborted) cut()
      await traffic[Symbol.asyncDispose]()
    },
  }
}

/**
 * Sessions that are no shells: with a database, an application, a cluster's API, a desktop. Each kind runs its own bytes;
 * here they are listed among the active sessions, counted, and ended by those who may.
 */
import { randomUUID } from 'node:crypto'
import type { SessionTrackerWire } from '@sallyport/wire/entities/session-tracker.ts'
import type { Clock } from '../clock.ts'
import type { LockSubject } from '../locks/lock.ts'
import type { LockView } from '../locks/lock-view.ts'
import { startIdleTimer } from './idle-timer.ts'

export type RunningKind = 'k8s' | 'db' | 'app' | 'desktop'

export interface SessionToRun {
  readonly kind: RunningKind
  readonly user: string
  /** Whom the person is on the resource. */
  readonly login: string
  /** Fields of the list's item that tell the resource: its name in the field of its kind, and more if there is more. */
  readonly tracker: Partial<SessionTrackerWire>
  /** Whose locks end it, from the first moment on. */
  readonly lockedBy: LockSubject
  /** Epoch milliseconds at which it ends: of the certificate or the web session. */
  readonly until?: number
  /** Milliseconds without activity after which it ends; 0 for never. */
  readonly idleTimeout: number
  /** Ends the session: closes what it holds. Called once, with the reason for the person. */
  readonly onEnd: (reason: string) => void
}

export interface RunningSession extends Disposable {
  readonly sid: string
  readonly user: string
  readonly kind: RunningKind
  /** As the list of active sessions shows it. */
  tracker(clusterName: string): SessionTrackerWire
  /** Something was done in it. */
  touch(): void
  /** Ends it for a reason that the person is told. */
  end(reason: string): void
}

export interface RunningSessions {
  /**
   * Watches over a session from before it reaches its resource until the result is disposed. When a lock is in force
   * already, `onEnd` has been called when this returns. `sid`: a new one when left out.
   */
  run(session: SessionToRun, sid?: string): RunningSession
  list(): RunningSession[]
  get(sid: string): RunningSession | undefined
  /** Of a user; of everybody when left out. */
  count(user?: string): number
  endAll(reason: string): void
}

/** Longer delays overflow a timer. */
const longestTimer = 2 ** 31 - 1

export function createRunningSessions({ clock, locks }: { clock: Clock; locks: Pick<LockView, 'watch'> }): RunningSessions {
  const running = new Map<string, RunningSession>()

  function run(session: SessionToRun, sid: string = randomUUID()): RunningSession {
    const { kind, user, login, until, idleTimeout } = session
    const created = clock.now()
    const address = session.tracker.server_addr ?? ''
    let isOver = false
    let ttl: NodeJS.Timeout | undefined
    const watches = new DisposableStack()
    const stop = (): void => {
      isOver = true
      clearTimeout(ttl)
      watches.dispose()
      running.delete(sid)
    }
    const end = (reason: string): void => {
      if (isOver) return
      stop()
      session.onEnd(reason)
    }
    const idle = watches.use(
      startIdleTimer(
        idleTimeout,
        () => clock.now(),
        () => end('the session was idle for too long'),
      ),
    )
    const waitTtl = (): void => {
      if (until === undefined || isOver) return
      const left = until - clock.now()
      if (left <= 0) return end('the time of the session is over: sign in again')
      ttl = setTimeout(waitTtl, Math.min(left, longestTimer)).unref()
    }
    const result: RunningSession = {
      sid,
      user,
      kind,
      tracker: (clusterName) => ({
        kind,
        id: sid,
        namespace: 'default',
        parties: [
          {
            id: sid,
            remote_addr: '',
            user,
            server_id: address,
            last_active: new Date(idle.last).toISOString(),
          },
        ],
        terminal_params: { w: 80, h: 25 },
        login,
        created: new Date(created).toISOString(),
        last_active: new Date(idle.last).toISOString(),
        server_id: address,
        server_hostname: '',
        server_hostport: 0,
        server_addr: address,
        cluster_name: clusterName,
        kubernetes_cluster_name: '',
        desktop_name: '',
        database_name: '',
        app_name: '',
        owner: user,
        moderated: false,
        recorded: false,
        state: 'running',
        ...session.tracker,
      }),
      touch: idle.touch,
      end,
      [Symbol.dispose]: stop,
    }
    running.set(sid, result)
    // It may call before it returns.
    const watched = locks.watch(session.lockedBy, end)
    if (isOver) watched[Symbol.dispose]()
    else watches.use(watched)
    waitTtl()
    return result
  }

  return {
    run,
    list: () => [...running.values()],
    get: (sid) => running.get(sid),
    count: (user) => (user === undefined ? running.size : running.values().reduce((sum, each) => sum + (each.user === user ? 1 : 0), 0)),
    endAll(reason) {
      for (const session of [...running.values()]) session.end(reason)
    },
  }
}

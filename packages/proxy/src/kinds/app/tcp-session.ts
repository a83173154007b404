/** A connection to a TCP application, for somebody who is signed in on the command line: a session of its own. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { actorAt } from '../../core/access/assumed.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Actor } from '../../core/caller.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, badParameter } from '../../core/errors.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import type { Log } from '../../core/log.ts'
import type { RunningSessions } from '../../core/sessions/running-sessions.ts'
import { proofFields } from '../../core/sessions/subject.ts'
import { writeEnd } from '../../core/sessions/write-end.ts'
import { isTcpApp } from './app.ts'
import { appSessionFields } from './open-app-session.ts'
import type { AppNames, ServedApps } from './resolve-app.ts'

export interface AppClient {
  readonly actor: Actor
  /** Whether a key confirmed what they signed in with just now. */
  readonly isConfirmed: boolean
  /** `ip:port`. */
  readonly address: string
}

/** An open byte stream, of which the caller is the owner. Rejects with AppError. */
export type DialTcpApp = (name: string, client: AppClient) => Promise<Duplex>

export interface TcpSessionDeps {
  apps: Pick<ServedApps, 'registry' | 'dial'>
  names: Pick<AppNames, 'hostOf'>
  settings: Pick<ClusterSettings, 'authPreference'>
  running: Pick<RunningSessions, 'run'>
  audit: Pick<Audit, 'emit'>
  log: Pick<Log, 'error'>
}

export const createTcpDial =
  ({ apps, names, settings, running, audit, log }: TcpSessionDeps): DialTcpApp =>
  async (name, { actor: given, isConfirmed, address }) => {
    const actor = actorAt(given, 'app', name)
    const { access, username: user } = actor
    const app = apps.registry.get(name)
    // The same answer for what is hidden and for what is not there.
    if (!app || !access.canSee('app', app.labels))
      throw accessDenied(`access to app denied: there is no application "${name}" that your roles allow`)
    const { isBot, trustedDevice, assumed = [] } = actor
    const session = { sid: randomUUID(), user, isBot, trustedDevice, assumed, app: app.id, host: names.hostOf(app) }
    const mustConfirm = settings.authPreference.require_session_mfa !== false || access.resourceNeedsMfa('app', app.labels)
    const proof = mustConfirm && isConfirmed ? proofFields(actor.mfaDevice) : {}
    const fields = { ...appSessionFields(session, app), ...proof, 'addr.remote': address }
    const refuse = async (error: Error): Promise<never> => {
      await audit.emit('T2007E', { ...fields, success: false, error: error.message })
      throw error
    }
    if (!isTcpApp(app)) return refuse(badParameter(`"${name}" is a web application: open it in the console`))
    const decision = access.checkResource('app', app.labels)
    if (!decision.allowed) return refuse(accessDenied(decision.reason))
    if (mustConfirm && !isConfirmed)
      return refuse(accessDenied(`a passkey or security key has to confirm this session: use "sallyport proxy app --headless ${name}"`))

    await audit.emit('T2007I', fields)
    const over = new AbortController()
    /** Why the person was cut off, as the audit log says it. */
    let disconnected: string | undefined
    const end = (): void => over.abort(new Error('the session ended'))
    actor.signal.addEventListener('abort', end, { once: true })
    const { sid } = session
    const place = running.run(
      {
        kind: 'app',
        user,
        login: '',
        tracker: { app_name: app.id, recorded: false },
        lockedBy: subjectOfCaller(actor),
        idleTimeout: 0,
        onEnd: (reason) => {
          disconnected = reason
          end()
        },
      },
      sid,
    )
    const leave = (): void => {
      place[Symbol.dispose]()
      actor.signal.removeEventListener('abort', end)
      writeEnd(audit, 'T2011I', fields, disconnected).catch((error: unknown) =>
        log.error({ err: error, sid }, 'the end of an application session could not be written down'),
      )
    }
    try {
      const stream = await apps.dial(app, over.signal)
      over.signal.addEventListener('abort', () => stream.destroy(), { once: true })
      if (over.signal.aborted) stream.destroy()
      stream.once('close', leave)
      return stream
    } catch (error) {
      leave()
      throw error
    }
  }

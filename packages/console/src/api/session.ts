/**
 * The life of a session as this tab lives it: where the bearer comes from, when it is renewed, when it ends.
 * Everything it touches is given, so that its rules can be tested with a clock of the test's own.
 */
import { ApiError } from '@sallyport/wire/errors.ts'
import { remainingLifetime, toBearerToken } from '@sallyport/wire/entities/session.ts'
import type { BearerToken, SessionWire } from '@sallyport/wire/entities/session.ts'
import { sessionCheckEvery, sessionRenewBelow, statusPollAbove, storageKeys } from '@sallyport/wire/limits.ts'
import { createActivity } from './activity.ts'
import { decodeBearer } from './bearer-meta.ts'
import { loginAddress } from './login-redirect.ts'
import { createRenewingFlag } from './renewing-flag.ts'
import { clearStorage, readToken } from './session-storage.ts'
import type { SessionHost } from './session-host.ts'

/** Why somebody stands before the sign-in form again. */
export type EndReason = 'signed-out' | 'expired' | 'renewal-failed' | 'refused' | 'inactive' | 'ended-elsewhere'

export interface SessionCalls {
  renew(): Promise<SessionWire>
  status(): Promise<unknown>
  signOut(): Promise<unknown>
}

export interface Session {
  /** The access token in force, also when another tab renewed it; undefined while nobody is signed in. */
  bearer(): string | undefined
  isValid(): boolean
  /** Takes over what a sign-in answered. */
  save(answer: SessionWire): void
  /** Exchanges the session for another one of the same sign-in; no tab renews meanwhile. Rejects as `exchange` does. */
  exchange(exchange: () => Promise<SessionWire>): Promise<void>
  /** Reads the page's bearer meta into storage, once. */
  adopt(): void
  /** Starts the checks; false when there is no valid session, and then the page is on its way to sign-in. */
  start(): boolean
  /** Ends the session by the viewer's own wish. */
  signOut(): Promise<void>
  /** The page is being left because the session ended: nothing may hold it back. */
  isLeaving(): boolean
  /** Tells when the viewer is about to be signed out for doing nothing: milliseconds left, or undefined. */
  onIdleWarning(task: (left: number | undefined) => void): () => void
  /** The viewer is still there. */
  stay(): void
}

/** Key in the tab's storage that tells the sign-in screen why it is shown. */
export const endReasonKey = 'sallyport_end_reason'
/** Signing out waits this long for the proxy, then leaves anyway. */
const signOutPatience = 3_000

export function createSession(host: SessionHost, calls: SessionCalls): Session {
  let leaving = false
  const stops: (() => void)[] = []
  const flag = createRenewingFlag(host)
  const activity = createActivity(
    host,
    () => token()?.sessionInactiveTimeout ?? 0,
    () => void end('inactive'),
  )

  const token = (): BearerToken | undefined => readToken(host.storage)
  const remaining = (): number => {
    const current = token()
    return current ? remainingLifetime(current, host.now()) : 0
  }
  /** Whoever is signed out meanwhile stays it. */
  const save = (answer: SessionWire): void => {
    if (!leaving) host.storage.setItem(storageKeys.token, JSON.stringify(toBearerToken(answer, host.now())))
  }

  const end = async (reason: EndReason): Promise<void> => {
    if (leaving) return
    leaving = true
    for (const stop of stops.splice(0)) stop()
    const had = token() !== undefined
    const done = had ? calls.signOut().catch(() => undefined) : undefined // already gone: nothing is left to delete
    clearStorage(host.storage)
    host.tabStorage.clear()
    // Whoever was not signed in when the page came has lost nothing.
    const worthTelling = reason === 'ended-elsewhere' || (had && reason !== 'signed-out')
    if (worthTelling) host.tabStorage.setItem(endReasonKey, reason)
    if (done) await Promise.race([done, after(host, signOutPatience)])
    host.leave(reason === 'signed-out' ? loginAddress() : loginAddress(host.location))
  }

  const renew = async (): Promise<void> => {
    flag.raise()
    try {
      save(await calls.renew())
    } catch {
      await end('renewal-failed')
    } finally {
      if (!leaving) flag.lower()
    }
  }

  const poll = async (): Promise<void> => {
    try {
      await calls.status()
    } catch (error) {
      // Only a refusal ends the session; a network failure or a fault of the proxy is seen again at the next check.
      if (error instanceof ApiError && error.status === 403) await end('refused')
    }
  }

  const check = (): void => {
    const left = remaining()
    if (left <= 0) return void end('expired')
    if (flag.isRaised()) return
    if (left < sessionRenewBelow) void renew()
    else if (left > statusPollAbove) void poll()
  }

  return {
    bearer: () => token()?.accessToken,
    isValid: () => remaining() > 0,
    save,
    isLeaving: () => leaving,
    async exchange(exchange) {
      flag.raise()
      try {
        save(await exchange())
      } finally {
        if (!leaving) flag.lower()
      }
    },
    adopt() {
      const meta = host.takeBearerMeta()
      const answer = decodeBearer(meta)
      if (answer) save(answer)
      // A bearer that cannot be read means signed out, whatever an earlier page left in storage.
      else if (meta !== '') host.storage.removeItem(storageKeys.token)
      // Who signs in next is not to be judged by what was done before.
      if (remaining() <= 0) host.storage.removeItem(storageKeys.lastActive)
    },
    start() {
      if (remaining() <= 0) {
        void end('expired')
        return false
      }
      if (activity.isIdle()) {
        void end('inactive')
        return false
      }
      stops.push(
        activity.start(),
        host.every(sessionCheckEvery, check),
        host.onStorage((key) => {
          if ((key === storageKeys.token || key === null) && !token()) void end('ended-elsewhere')
        }),
      )
      check()
      return !leaving
    },
    signOut: () => end('signed-out'),
    onIdleWarning: activity.onWarning,
    stay: activity.stay,
  }
}

const after = (host: SessionHost, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const stop = host.every(ms, () => {
      stop()
      resolve()
    })
  })

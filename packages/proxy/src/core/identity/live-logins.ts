/** One abort signal per sign-in that is in use here. It fires when the sign-in ends, and every live socket hangs on it. */
import type { Clock } from '../clock.ts'

export interface LiveLogins extends Disposable {
  /** The signal of a sign-in that lives at least until `expires` (epoch milliseconds). */
  signalOf(loginId: string, expires: number): AbortSignal
  end(loginId: string): void
}

/** How late, in milliseconds, the end of a session may be noticed. */
const checkEvery = 500

export function createLiveLogins(clock: Clock): LiveLogins {
  const logins = new Map<string, { controller: AbortController; expires: number }>()
  const end = (loginId: string): void => {
    const login = logins.get(loginId)
    logins.delete(loginId)
    login?.controller.abort(new Error('the web session ended'))
  }
  // Looks at the clock instead of setting a timer, so that it stays right when the clock is moved.
  const timer = setInterval(() => {
    const now = clock.now()
    for (const [loginId, { expires }] of logins) if (expires <= now) end(loginId)
  }, checkEvery)
  timer.unref()
  return {
    signalOf(loginId, expires) {
      const login = logins.get(loginId) ?? { controller: new AbortController(), expires }
      login.expires = Math.max(login.expires, expires)
      logins.set(loginId, login)
      return login.controller.signal
    },
    end,
    [Symbol.dispose]() {
      clearInterval(timer)
      for (const loginId of logins.keys()) end(loginId)
    },
  }
}

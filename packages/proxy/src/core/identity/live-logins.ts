/** One abort signal per sign-in that is in use here. It fires when the sign-in ends, and every live socket hangs on it. */
import type { Clock } from '../clock.ts'

export interface LiveLogins extends Disposable {
  /** The signal of a sign-in that lives at least until `expires` (epoch milliseconds). */
  signalOf(loginId: string, expires: number): AbortSignal
  /** The signal of access that a sign-in has assumed: it fires when `expires` comes as well, and does not move with the sign-in. */
  assumedSignalOf(loginId: string, access: string, expires: number): AbortSignal
  end(loginId: string): void
}

/** How late, in milliseconds, the end of a session may be noticed. */
const checkEvery = 500

export function createLiveLogins(clock: Clock): LiveLogins {
  interface Live {
    readonly controller: AbortController
    expires: number
  }
  const logins = new Map<string, Live & { readonly assumed: Map<string, Live> }>()
  const end = (loginId: string): void => {
    const login = logins.get(loginId)
    if (!login) return
    logins.delete(loginId)
    for (const { controller } of [login, ...login.assumed.values()]) controller.abort(new Error('the web session ended'))
  }
  const loginOf = (loginId: string, expires: number) => {
    const login = logins.get(loginId) ?? { controller: new AbortController(), expires, assumed: new Map<string, Live>() }
    login.expires = Math.max(login.expires, expires)
    logins.set(loginId, login)
    return login
  }
  // Looks at the clock instead of setting a timer, so that it stays right when the clock is moved.
  const timer = setInterval(() => {
    const now = clock.now()
    for (const [loginId, { expires, assumed }] of logins) {
      for (const [access, live] of assumed)
        if (live.expires <= now) {
          assumed.delete(access)
          live.controller.abort(new Error('the access that was assumed ended'))
        }
      if (expires <= now) end(loginId)
    }
  }, checkEvery)
  timer.unref()
  return {
    signalOf: (loginId, expires) => loginOf(loginId, expires).controller.signal,
    assumedSignalOf(loginId, access, expires) {
      const { assumed } = loginOf(loginId, expires)
      // What is renewed ends when it ended before.
      const live = assumed.get(access) ?? { controller: new AbortController(), expires }
      assumed.set(access, live)
      return live.controller.signal
    },
    end,
    [Symbol.dispose]() {
      clearInterval(timer)
      for (const loginId of logins.keys()) end(loginId)
    },
  }
}

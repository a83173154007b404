/** This page's session, client and configuration: the one place where they meet the browser. */
import { mergeClientConfig } from '@sallyport/wire/config.ts'
import { bearerMeta, csrfMeta } from '@sallyport/wire/limits.ts'
import { renew, signOut, userStatus } from '@sallyport/wire/calls/session.ts'
import { createClient, type ClientHost } from './client.ts'
import { createSession } from './session.ts'

const metaOf = (name: string): HTMLMetaElement | null => document.querySelector(`meta[name="${name}"]`)

/** For clients of other kinds than of calls. */
export const clientHost: ClientHost = {
  origin: window.location.origin,
  csrfToken: () => metaOf(csrfMeta)?.content ?? '',
  bearer: () => session.bearer(),
}
const client = createClient(clientHost)
export const { request, requestRaw } = client

const given: unknown = 'GRV_CONFIG' in window ? window.GRV_CONFIG : undefined
/** `GRV_CONFIG` is what the server's /web/config.js declares; without it the defaults hold. */
export const config = mergeClientConfig(given, window.location.origin)
/** Older proxies say in their ping whether there is an assistant. */
export const tellsAssist = given instanceof Object && 'assistEnabled' in given && given.assistEnabled !== null

export const session = createSession(
  {
    storage: window.localStorage,
    tabStorage: window.sessionStorage,
    now: () => Date.now(),
    every(ms, task) {
      const timer = setInterval(task, ms)
      return () => clearInterval(timer)
    },
    listen(type, task) {
      window.addEventListener(type, task, { capture: true, passive: true })
      return () => window.removeEventListener(type, task, { capture: true })
    },
    onStorage(task) {
      const listener = (event: StorageEvent): void => {
        if (event.storageArea === window.localStorage) task(event.key)
      }
      window.addEventListener('storage', listener)
      return () => window.removeEventListener('storage', listener)
    },
    takeBearerMeta() {
      const meta = metaOf(bearerMeta)
      meta?.remove()
      return meta?.content ?? ''
    },
    location: window.location,
    leave: (path) => window.location.replace(path),
  },
  {
    renew: () => request(renew, { body: {} }),
    status: () => request(userStatus),
    signOut: () => request(signOut),
  },
)

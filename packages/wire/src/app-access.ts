/** What the console and an application's own host name tell each other when a browser opens the application. */

/** On the application's host: where a browser brings what it was given by the console. */
export const appAuthPath = '/x-teleport-auth'
/** On the application's host: ends the session there. */
export const appLogoutPath = '/teleport-logout'

export const appSessionCookie = '__Host-grv_app_session'
export const appSubjectCookie = '__Host-grv_app_session_subject'
/** Followed by the id of one attempt. */
export const appStateCookie = '__Host-grv_app_auth_state_'
/** So long, in milliseconds, an attempt may take. */
export const appStateTtl = 60_000

/** The refusal of a session that has to be confirmed with a key. */
export const appMfaText = 'MFA required for application access'

/** The signed statement about who is asking, for the application, and where its key stands. */
export const appAssertionHeaders = ['Teleport-Jwt-Assertion', 'Cf-Access-Token'] as const
export const appKeysPath = '/.well-known/jwks.json'

/**
 * Where to go on the application's host: a path with query and fragment, whatever was asked for. Nothing that leads to another
 * host comes out of it.
 */
export function pathOnApp(given: string | null | undefined): string {
  const path = (given ?? '').replace(/^[/\\\s]*/, '/')
  const base = 'https://app'
  const url = URL.parse(path, base)
  return url?.origin === base ? url.pathname.replace(/^\/+/, '/') + url.search + url.hash : '/'
}

/** The way to sign-in and back: only ever within the page's own origin. */
import { matchRoute, routePath, routes } from '@sallyport/wire/routes.ts'

/** The sign-in address. With `from`, it carries the page and its search string to come back to. */
export function loginAddress(from?: { origin: string; pathname: string; search: string }): string {
  const login = routePath('login')
  return from ? `${login}?redirect_uri=${encodeURIComponent(from.origin + from.pathname + from.search)}` : login
}

/**
 * Where to go after signing in: the path, search and fragment of `redirect_uri` when it is of `origin`, its path alone
 * when it is of another, and the root when it is no page that one signs in for.
 */
export function pageAfterLogin(search: string, origin: string): string {
  const given = new URLSearchParams(search).get('redirect_uri')
  if (given === null || given === '' || !URL.canParse(given, origin)) return routePath('root')
  const url = new URL(given, origin)
  const match = matchRoute(url.pathname)
  if (!match || routes[match.name].layout === 'public') return routePath('root')
  return url.origin === origin ? url.pathname + url.search + url.hash : url.pathname
}

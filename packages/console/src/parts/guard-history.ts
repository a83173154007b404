import type { RouterHistory } from '@tanstack/history'
import { matchRoute, routePath, serverRoutePattern } from '@sallyport/wire/routes.ts'

/** The address itself (with its search) when its path is a route, else the root's. */
export function knownPath(address: string): string {
  const path = address.split(/[?#]/, 1)[0] ?? ''
  return matchRoute(path) ? address : routePath('root')
}

/**
 * A history whose pushes and replacements go to known screens, or load what the server handles itself. Typed addresses do
 * not come by here.
 */
export function guardHistory(history: RouterHistory, page: Pick<Location, 'assign' | 'replace'>): RouterHistory {
  const { push, replace } = history
  history.push = (address, ...rest) => (serverRoutePattern.test(address) ? page.assign(address) : push(knownPath(address), ...rest))
  history.replace = (address, ...rest) => (serverRoutePattern.test(address) ? page.replace(address) : replace(knownPath(address), ...rest))
  return history
}

import type { RouterHistory } from '@tanstack/history'
import { matchRoute, routePath } from '@sallyport/wire/routes.ts'

/** The address itself (with its search) when its path is a route, else the root's. */
export function knownPath(address: string): string {
  const path = address.split(/[?#]/, 1)[0] ?? ''
  return matchRoute(path) ? address : routePath('root')
}

/** A history whose pushes and replacements go to known screens only. Typed addresses do not come by here. */
export function guardHistory(history: RouterHistory): RouterHistory {
  const { push, replace } = history
  history.push = (address, ...rest) => push(knownPath(address), ...rest)
  history.replace = (address, ...rest) => replace(knownPath(address), ...rest)
  return history
}

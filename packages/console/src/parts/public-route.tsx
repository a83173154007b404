import { createContext, useContext } from 'react'
import type { RouteMatch } from '@sallyport/wire/routes.ts'

const Context = createContext<RouteMatch | undefined>(undefined)

export const PublicRouteProvider = Context

/** The route of a screen that needs no session. These screens stand alone: moving between them loads the page. */
export function usePublicRoute(): RouteMatch {
  const match = useContext(Context)
  if (!match) throw new Error('usePublicRoute outside of a public screen')
  return match
}

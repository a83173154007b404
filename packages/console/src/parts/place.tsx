/** Where the viewer is. It changes in a transition: the old screen stays until the new one is there. */
import { createContext, startTransition, use, useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { matchRoute } from '@sallyport/wire/routes.ts'
import type { RouteMatch } from '@sallyport/wire/routes.ts'
import { appHistory } from './navigation.ts'
import { parseSearch } from './search-string.ts'

export interface Place {
  /** Path, search and hash. */
  href: string
  pathname: string
  /** The route of the path; undefined where it is none. */
  match: RouteMatch | undefined
  search: Readonly<Record<string, string | string[]>>
}

const placeNow = (): Place => {
  const { href, pathname, search } = appHistory.location
  return { href, pathname, match: matchRoute(pathname), search: parseSearch(search) }
}

const Context = createContext<Place | undefined>(undefined)

export function PlaceProvider({ children }: { children: ReactNode }) {
  const [place, setPlace] = useState(placeNow)
  useEffect(() => {
    const follow = (): void => startTransition(() => setPlace((before) => (before.href === appHistory.location.href ? before : placeNow())))
    follow()
    return appHistory.subscribe(follow)
  }, [])
  return <Context value={place}>{children}</Context>
}

export function usePlace(): Place {
  const place = use(Context)
  if (!place) throw new Error('usePlace outside of the private screens')
  return place
}

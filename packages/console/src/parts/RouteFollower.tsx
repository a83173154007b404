import { useEffect, useRef, useState } from 'react'
import { matchRoute, routes } from '@sallyport/wire/routes.ts'
import { setRouteTitle, titleOf } from './page-title.ts'
import { usePlace } from './place.tsx'

/** Follows the address: the document's title, and after a move the focus on the new heading, read out once. */
export function RouteFollower() {
  const { pathname } = usePlace()
  const [said, setSaid] = useState('')
  const before = useRef(pathname)
  useEffect(() => {
    const moved = before.current !== pathname
    before.current = pathname
    const match = matchRoute(pathname)
    const title = match ? titleOf(match.name, match.params['clusterId']) : '404 Not Found'
    setRouteTitle(title)
    if (!moved) return undefined
    setSaid(title)
    // A full page, such as a terminal, knows itself where the keys belong.
    return match && routes[match.name].layout === 'full' ? undefined : focusHeading()
  }, [pathname])
  return (
    <div className="sr" aria-live="polite">
      {said}
    </div>
  )
}

/** Focuses the screen's heading, waiting for it where the screen still loads. The returned function gives up. */
function focusHeading(): () => void {
  const tryNow = (): boolean => {
    const heading = document.querySelector<HTMLElement>('h1')
    heading?.focus()
    return heading !== null
  }
  if (tryNow()) return () => undefined
  const observer = new MutationObserver(() => tryNow() && observer.disconnect())
  observer.observe(document.body, { childList: true, subtree: true })
  return () => observer.disconnect()
}

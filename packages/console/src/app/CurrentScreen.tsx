import { Suspense } from 'react'
import type { RouteName } from '@sallyport/wire/routes.ts'
import type { Screen } from '../parts/lazy-screen.tsx'
import { usePlace } from '../parts/place.tsx'
import { useUserContext } from '../parts/user-context.tsx'
import { AccessDenied } from '../screens/fallback/AccessDenied.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { isOpen } from './guard.ts'
import { Waiting } from './Waiting.tsx'

/**
 * The built screen of the current route, or `Access Denied` in its place. Routes that share a screen keep it as it is.
 * The denial is a hint for the viewer: the proxy checks every call again.
 */
export function CurrentScreen({ screens, inPage = false }: { screens: Partial<Record<RouteName, Screen>>; inPage?: boolean }) {
  const { match, pathname } = usePlace()
  const { acl } = useUserContext()
  const Found = match && screens[match.name]
  if (!match || !Found) return null
  return (
    <ErrorBoundary inPage={inPage} place={pathname}>
      <Suspense fallback={<Waiting />}>{isOpen(match.name, acl) ? <Found /> : <AccessDenied inPage={inPage} />}</Suspense>
    </ErrorBoundary>
  )
}

import { Suspense } from 'react'
import { matchRoute, routes } from '@sallyport/wire/routes.ts'
import type { RouteMatch, RouteName } from '@sallyport/wire/routes.ts'
import { session } from '../api/page.ts'
import { lazyScreen } from '../parts/lazy-screen.tsx'
import { setRouteTitle, titleOf } from '../parts/page-title.ts'
import { PublicRouteProvider } from '../parts/public-route.tsx'
import { isBuilt, screens } from '../routes.tsx'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { Waiting } from './Waiting.tsx'

const NotFound = lazyScreen(async () => (await import('../screens/fallback/NotFound.tsx')).NotFound)
const PrivateApp = lazyScreen(async () => (await import('./PrivateApp.tsx')).PrivateApp)

/** What the address that this page was loaded with asks for. Decided once: the router takes over from here. */
type Start = { page: 'nowhere' } | { page: 'private' } | { page: 'leaving' } | { page: 'public'; match: RouteMatch }

function decideStart(): Start {
  session.adopt()
  const match = matchRoute(window.location.pathname)
  if (!match || !isBuilt(match.name)) {
    setRouteTitle('404 Not Found')
    return { page: 'nowhere' }
  }
  if (routes[match.name].layout === 'public') {
    setRouteTitle(titleOf(match.name, undefined))
    return { page: 'public', match }
  }
  if (!session.start()) return { page: 'leaving' }
  // The screen's chunk comes in beside the frame's; if it cannot, the router shows why.
  preload(match.name).catch(() => undefined)
  return { page: 'private' }
}

async function preload(name: RouteName): Promise<void> {
  const known = routes[name].layout === 'main' ? (await import('../main-screens.tsx')).mainScreens : screens
  await known[name]?.preload()
}

const start = decideStart()

/** Public screens stand alone and small; everything else waits for a session and brings the router with it. */
export function App() {
  return (
    <ErrorBoundary>
      <Suspense fallback={<Waiting />}>
        {start.page === 'private' && <PrivateApp />}
        {start.page === 'public' && <PublicScreen match={start.match} />}
        {start.page === 'nowhere' && <NotFound />}
      </Suspense>
    </ErrorBoundary>
  )
}

function PublicScreen({ match }: { match: RouteMatch }) {
  const Screen = screens[match.name]
  return <PublicRouteProvider value={match}>{Screen && <Screen />}</PublicRouteProvider>
}

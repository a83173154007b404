/** The screen of the place where the viewer is: in the main layout, or the whole page. */
import { routes } from '@sallyport/wire/routes.ts'
import { lazyScreen } from '../parts/lazy-screen.tsx'
import { usePlace } from '../parts/place.tsx'
import { isBuilt, screens } from '../routes.tsx'
import { NotFound } from '../screens/fallback/NotFound.tsx'
import { CurrentScreen } from './CurrentScreen.tsx'

// Full pages start without it.
const MainPage = lazyScreen(async () => (await import('./MainPage.tsx')).MainPage)

export function Screens() {
  const { match } = usePlace()
  if (!match || !isBuilt(match.name)) return <NotFound />
  return routes[match.name].layout === 'main' ? <MainPage /> : <CurrentScreen screens={screens} />
}

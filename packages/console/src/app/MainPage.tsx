import { MainLayout } from '../layout/MainLayout.tsx'
import { mainScreens } from '../main-screens.tsx'
import { CurrentScreen } from './CurrentScreen.tsx'

/** The frame with the current screen in it. */
export function MainPage() {
  return (
    <MainLayout>
      <CurrentScreen inPage screens={mainScreens} />
    </MainLayout>
  )
}

import { MainLayout } from '../layout/MainLayout.tsx'
import { CurrentScreen } from './CurrentScreen.tsx'

/** The frame with the current screen in it. */
export function MainPage() {
  return (
    <MainLayout>
      <CurrentScreen inPage />
    </MainLayout>
  )
}

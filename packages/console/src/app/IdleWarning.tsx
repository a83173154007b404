import { lazy, Suspense, useCallback, useSyncExternalStore } from 'react'
import { session } from '../api/page.ts'

const IdleDialog = lazy(() => import('./IdleDialog.tsx').then((loaded) => ({ default: loaded.IdleDialog })))

let secondsLeft: number | undefined

/** Says so a minute before the viewer is signed out for doing nothing. */
export function IdleWarning() {
  const subscribe = useCallback(
    (changed: () => void) =>
      session.onIdleWarning((left) => {
        secondsLeft = left === undefined ? undefined : Math.ceil(left / 1000)
        changed()
      }),
    [],
  )
  const seconds = useSyncExternalStore(subscribe, () => secondsLeft)
  if (seconds === undefined) return null
  return (
    <Suspense>
      <IdleDialog seconds={seconds} />
    </Suspense>
  )
}

import { CSPProvider } from '@base-ui/react/csp-provider'
import { lazy, Suspense, type ReactNode } from 'react'
import { confirmStore } from './confirm.ts'
import { useStore } from './store.ts'
import { Toasts } from './Toasts.tsx'
import { useWanted } from './use-wanted.ts'

const ConfirmDialog = lazy(() => import('./ConfirmDialog.tsx').then((loaded) => ({ default: loaded.ConfirmDialog })))

/** What the pieces of this folder need around them once: no inline styles (the content policy forbids them), toasts, the question. */
export function UiRoot({ children }: { children: ReactNode }) {
  return (
    <CSPProvider disableStyleElements>
      {children}
      <Toasts />
      <Confirm />
    </CSPProvider>
  )
}

/** The question's machinery is fetched with the first question. */
function Confirm() {
  const wanted = useWanted(useStore(confirmStore) !== undefined)
  return wanted ? (
    <Suspense>
      <ConfirmDialog />
    </Suspense>
  ) : null
}

import type { ReactNode } from 'react'
import { spinnerDelay, useDelay } from './Spinner.tsx'

/** What stands in for something that loads: nothing for the first moments, so that quick answers never flash it. */
export function Late({ children }: { children: ReactNode }) {
  return useDelay(spinnerDelay.short) ? children : null
}

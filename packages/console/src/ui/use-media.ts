import { useCallback, useSyncExternalStore } from 'react'

/** The three widths at which layouts change. */
export const media = {
  phone: '(max-width: 767px)',
  wide: '(min-width: 1200px)',
} as const

/** Whether the media query matches, following changes. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const list = window.matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}

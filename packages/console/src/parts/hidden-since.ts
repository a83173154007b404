import { useEffect, useRef } from 'react'

/** Tells since when (epoch milliseconds) nobody sees the page; undefined while somebody does. */
export function useHiddenSince(): () => number | undefined {
  const since = useRef<number | undefined>(undefined)
  useEffect(() => {
    const follow = (): void => {
      since.current = document.visibilityState === 'hidden' ? Date.now() : undefined
    }
    document.addEventListener('visibilitychange', follow)
    return () => document.removeEventListener('visibilitychange', follow)
  }, [])
  return () => since.current
}

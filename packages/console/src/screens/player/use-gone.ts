import { useEffect, useRef } from 'react'

/**
 * Gives up what a component holds once it has gone for good. Strict mode takes effects down and puts them up again
 * at once; that is not going.
 */
export function useGone(giveUp: () => void): void {
  const latest = useRef(giveUp)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => {
    latest.current = giveUp
  })
  useEffect(() => {
    clearTimeout(timer.current)
    return () => {
      timer.current = setTimeout(() => latest.current())
    }
  }, [])
}

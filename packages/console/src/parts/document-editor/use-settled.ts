import { useEffect, useState } from 'react'

/** A value once it has not changed for a while (ms): what a proxy is asked about while somebody types. */
export function useSettled<T>(value: T, delay: number): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delay)
    return () => clearTimeout(timer)
  }, [value, delay])
  return settled
}

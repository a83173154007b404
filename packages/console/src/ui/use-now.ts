import { useEffect, useState } from 'react'

/** The time, a minute behind at most: for ranges that end today and for words such as "4 minutes ago". */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), 60_000)
    return () => clearInterval(timer)
  }, [])
  return now
}

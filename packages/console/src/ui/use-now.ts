import { useEffect, useState } from 'react'

/** The time, a minute behind at most or `every` milliseconds: for ranges that end today and for words such as "4 minutes ago". */
export function useNow(every = 60_000): Date {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), every)
    return () => clearInterval(timer)
  }, [every])
  return now
}

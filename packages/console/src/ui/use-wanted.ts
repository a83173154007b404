import { useState } from 'react'

/** Whether a layer was ever open. What is fetched for it stays in the page then, so that it can go as softly as it came. */
export function useWanted(open: boolean): boolean {
  const [wanted, setWanted] = useState(open)
  if (open && !wanted) setWanted(true)
  return wanted
}

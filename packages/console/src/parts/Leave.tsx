import { useEffect } from 'react'

/** Leaves the console for another origin, in place of this page. */
export function Leave({ to }: { to: string }) {
  useEffect(() => window.location.replace(to), [to])
  return null
}

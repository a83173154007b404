import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'

/** What takes the focus when it appears, so that nobody is left at a button that is gone or did nothing. */
export function Focused({ className, children }: { className?: string | undefined; children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <div ref={place} tabIndex={-1} className={className}>
      {children}
    </div>
  )
}

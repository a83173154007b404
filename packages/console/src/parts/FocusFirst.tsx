import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'

/** Puts the focus on the first thing to fill in or press: for pages that exist for one form alone. */
export function FocusFirst({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.querySelector<HTMLElement>('input:not([readonly]), button')?.focus(), [])
  return (
    <div ref={place} style={{ display: 'contents' }}>
      {children}
    </div>
  )
}

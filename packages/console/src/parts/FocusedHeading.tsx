import { useEffect, useRef } from 'react'

/** The heading of a step that takes the place of another one on the same screen: it is focused, and so read out. */
export function FocusedHeading({ children }: { children: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

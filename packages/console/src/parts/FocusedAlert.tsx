import { useEffect, useRef } from 'react'
import { Alert } from '../ui/Alert.tsx'
import type { AlertProps } from '../ui/Alert.tsx'

/** An alert above a form that takes the focus when it appears, so that nobody is left at a button that did nothing. */
export function FocusedAlert(props: AlertProps) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => place.current?.focus(), [])
  return (
    <div ref={place} tabIndex={-1}>
      <Alert {...props} />
    </div>
  )
}

import { useState } from 'react'
import type { ReactNode } from 'react'
import { Alert } from '../ui/Alert.tsx'
import { Button } from '../ui/Button.tsx'

export interface LoadErrorProps {
  /** What could not be had. */
  title: string
  error?: Error
  /** In place of the error's own words. */
  children?: ReactNode
  onRetry: () => void
}

/** The last alert whose Retry was pressed. */
let tried: string | undefined

/**
 * What could not be loaded, why, and the way to try again. While it is tried the alert is gone; whoever pressed its button
 * in vain has it under the hand again.
 */
export function LoadError({ title, error, children, onRetry }: LoadErrorProps) {
  const [isBack] = useState(() => tried === title && !document.activeElement?.matches('a, button, input, textarea'))
  return (
    <Alert
      kind="danger"
      title={title}
      action={
        <Button
          size={24}
          autoFocus={isBack}
          onClick={() => {
            tried = title
            onRetry()
          }}
        >
          Retry
        </Button>
      }
    >
      {children ?? error?.message}
    </Alert>
  )
}

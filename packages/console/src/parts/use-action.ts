import { useRef, useState } from 'react'
import { CeremonyStopped } from './webauthn.ts'

export interface Action<A extends unknown[]> {
  busy: boolean
  error: Error | undefined
  start: (...args: A) => void
  clear: () => void
}

/** One deed at a time with its wait and its failure. A ceremony that the viewer stopped is no failure. */
export function useAction<A extends unknown[]>(run: (...args: A) => Promise<void>): Action<A> {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const running = useRef(false)
  const start = async (...args: A): Promise<void> => {
    if (running.current) return
    running.current = true
    setBusy(true)
    setError(undefined)
    try {
      await run(...args)
    } catch (cause) {
      if (!(cause instanceof CeremonyStopped)) setError(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      running.current = false
      setBusy(false)
    }
  }
  return { busy, error, start: (...args) => void start(...args), clear: () => setError(undefined) }
}

import { SquareTerminal } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '../../ui/Button.tsx'
import type { SessionFacts } from './session-state.ts'
import styles from './console.module.css'

/** The console without a session: tells of the one that ended last and leads to the next. */
export function BlankDocument({ lastEnded, onPick }: { lastEnded: SessionFacts | undefined; onPick: () => void }) {
  const start = useRef<HTMLButtonElement>(null)
  // The terminal that had the focus is gone.
  useEffect(() => start.current?.focus(), [])
  return (
    <div className={styles['blank']}>
      <div>
        <h1>{lastEnded ? 'The session has ended' : 'No session is open'}</h1>
        <p className="t2">
          {lastEnded ? (
            <>
              You are no longer connected to <span className="mono">{`${lastEnded.login}@${lastEnded.hostname}`}</span>. Start another
              session when you are ready.
            </>
          ) : (
            'Choose a server and a login to open a shell here.'
          )}
        </p>
        <Button kind="primary" ref={start} icon={SquareTerminal} onClick={onPick}>
          Start a session
        </Button>
      </div>
    </div>
  )
}

import type { ReactElement } from 'react'
import { Popover } from '../../ui/Popover.tsx'
import { latencyGrade } from './latency-grade.ts'
import type { SessionState } from './session-state.ts'
import styles from './console.module.css'

const words = {
  unknown: 'The proxy has not measured it yet.',
  good: 'Keys come back at once.',
  slow: 'Keys come back with a delay.',
  bad: 'Typing is hard on this connection.',
} as const

/** Both legs of the way to the server, and what they come to. */
export function LatencyPopover({
  trigger,
  latency,
  open,
  onOpenChange,
}: {
  trigger: ReactElement
  latency: SessionState['latency']
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  const figure = (ms: number | undefined) => (ms === undefined ? '–' : `${Math.round(ms)} ms`)
  return (
    <Popover trigger={trigger} label="Latency" padded align="end" width={260} open={open} onOpenChange={onOpenChange}>
      <p className="strong">{words[latencyGrade(latency)]}</p>
      <dl className={styles['legs']}>
        <div>
          <dt>You to the proxy</dt>
          <dd className="mono">{figure(latency?.viewer)}</dd>
        </div>
        <div>
          <dt>The proxy to the server</dt>
          <dd className="mono">{figure(latency?.server)}</dd>
        </div>
        <div>
          <dt>Together</dt>
          <dd className="mono">{figure(latency && latency.viewer + latency.server)}</dd>
        </div>
      </dl>
    </Popover>
  )
}

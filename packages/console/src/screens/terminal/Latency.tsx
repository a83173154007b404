import { Activity } from 'lucide-react'
import { Suspense, useState, useSyncExternalStore } from 'react'
import { lazyPiece } from '../../ui/lazy-piece.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { latencyGrade } from './latency-grade.ts'
import type { TerminalSession } from './terminal-session.ts'
import styles from './console.module.css'

const LatencyPopover = lazyPiece(() => import('./LatencyPopover.tsx').then((loaded) => loaded.LatencyPopover))

/** How fast keys come back: coloured by the slower leg; pressed, it tells both. */
export function Latency({ session }: { session: TerminalSession }) {
  const { latency, phase } = useSyncExternalStore(session.state.subscribe, session.state.get)
  const [open, setOpen] = useState<boolean>()
  if (phase !== 'connected') return null
  const total = latency && Math.round(latency.viewer + latency.server)
  const trigger = (
    <button
      type="button"
      className={cx(buttonClass({ kind: 'quiet' }), styles['latency'], styles[latencyGrade(latency)], 'hide-s')}
      aria-label={total === undefined ? 'Latency – not measured yet' : `Latency ${total} ms`}
      {...(open === undefined && { 'aria-haspopup': 'dialog', 'aria-expanded': false, onClick: () => setOpen(true) })}
    >
      <Icon of={Activity} size={14} />
      <span className="mono">{total === undefined ? '–' : `${total} ms`}</span>
    </button>
  )
  if (open === undefined) return trigger
  return (
    <Suspense fallback={trigger}>
      <LatencyPopover trigger={trigger} latency={latency} open={open} onOpenChange={setOpen} />
    </Suspense>
  )
}

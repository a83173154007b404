import { SquareTerminal } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import type { Node } from '@sallyport/wire/entities/node.ts'
import { handoverLimit } from '../../parts/terminal-handover.ts'
import { Button } from '../../ui/Button.tsx'
import styles from './Servers.module.css'

const OpenDialog = lazy(() => import('./OpenDialog.tsx').then((loaded) => ({ default: loaded.OpenDialog })))

/** What can be done to the servers that are marked. */
export function OpenBar({
  marked,
  inSight,
  onMarkAll,
  onClear,
}: {
  marked: readonly Node[]
  inSight: number
  onMarkAll: () => void
  onClear: () => void
}) {
  const [opening, setOpening] = useState(false)
  return (
    <div className={styles['bulk']} role="group" aria-label="Marked servers">
      <span role="status" className="strong">
        {marked.length.toLocaleString('en')} marked
      </span>
      {marked.length < inSight && (
        <Button kind="quiet" size={24} onClick={onMarkAll}>
          Mark all {inSight.toLocaleString('en')} in sight
        </Button>
      )}
      <Button kind="quiet" size={24} onClick={onClear}>
        Clear marks
      </Button>
      <span className="grow" />
      <Button
        size={24}
        icon={SquareTerminal}
        disabledReason={marked.length > handoverLimit ? `At most ${handoverLimit} at once` : undefined}
        onClick={() => setOpening(true)}
      >
        Open terminals…
      </Button>
      <Suspense>{opening && <OpenDialog nodes={marked} onClose={() => setOpening(false)} onOpened={onClear} />}</Suspense>
    </div>
  )
}

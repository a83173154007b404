import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { kinds } from './kinds.ts'
import { StepButtons } from './StepButtons.tsx'
import type { Kind } from './tiles.ts'
import type { Progress } from './use-address.ts'
import styles from './Discover.module.css'

/** What the address names is not there any more, or hidden from the viewer. */
export function Gone({ kind, progress: { restart } }: { kind: Kind; progress: Progress }) {
  return (
    <div className={styles['column']}>
      <FocusedHeading>{`The ${kinds[kind].noun} is not here any more`}</FocusedHeading>
      <Alert kind="warn">It has left the cluster, or your roles do not let you see it.</Alert>
      <StepButtons next="Start over" onNext={restart} />
    </div>
  )
}

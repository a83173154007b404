import { FocusedHeading } from '../../parts/FocusedHeading.tsx'
import { Alert } from '../../ui/Alert.tsx'
import { StepButtons } from './StepButtons.tsx'
import type { Progress } from './use-address.ts'
import styles from './Discover.module.css'

/** The server of the address is not there any more, or hidden from the viewer. */
export function ServerGone({ progress: { restart } }: { progress: Progress }) {
  return (
    <div className={styles['column']}>
      <FocusedHeading>The server is not here any more</FocusedHeading>
      <Alert kind="warn">It has left the cluster, or your roles do not let you see it.</Alert>
      <StepButtons next="Start over" onNext={restart} />
    </div>
  )
}

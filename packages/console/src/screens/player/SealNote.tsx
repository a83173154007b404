import { Alert } from '../../ui/Alert.tsx'
import type { RecordingTimeline } from './recording-timeline.ts'

/** A word of warning where a recording does not carry the cluster's signature. */
export function SealNote({ seal }: { seal: RecordingTimeline['seal'] }) {
  if (seal === 'forged')
    return (
      <Alert kind="danger" title="This recording is not what was recorded.">
        The signature beside it is not this cluster’s, or belongs to something else. Do not rely on what it shows.
      </Alert>
    )
  if (seal === 'unsigned')
    return (
      <Alert kind="warn" title="This recording is not signed.">
        It was made before recordings were signed, or its signature was removed.
      </Alert>
    )
  return null
}

import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import type { RecordingTimeline } from './recording-timeline.ts'

export interface RecordingNoteProps {
  seal: RecordingTimeline['seal']
  /** Of a session that still runs. */
  onCatchUp: (() => void) | undefined
}

/** A word of warning where a recording does not carry the cluster's signature, or is not finished. */
export function RecordingNote({ seal, onCatchUp }: RecordingNoteProps) {
  if (onCatchUp)
    return (
      <Alert
        kind="info"
        title="This session is still running."
        action={
          <Button size={24} onClick={onCatchUp}>
            Catch up
          </Button>
        }
      >
        The recording ends here where it was when it was opened.
      </Alert>
    )
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

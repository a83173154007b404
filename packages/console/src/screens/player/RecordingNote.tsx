import { Alert } from '../../ui/Alert.tsx'
import { useStore } from '../../ui/store.ts'
import type { LiveRecording } from './live-recording.ts'
import type { RecordingTimeline } from './recording-timeline.ts'

export interface RecordingNoteProps {
  seal: RecordingTimeline['seal']
  /** Of a session that still runs. */
  live: LiveRecording | undefined
}

/** A word of warning where a recording does not carry the cluster's signature, or what comes cannot be followed. */
export function RecordingNote({ seal, live }: RecordingNoteProps) {
  if (live) return <LiveNote live={live} />
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

function LiveNote({ live }: { live: LiveRecording }) {
  const { trouble } = useStore(live.state)
  return trouble === undefined ? null : (
    <Alert kind="warn" title="The session cannot be followed right now.">
      {trouble}
    </Alert>
  )
}

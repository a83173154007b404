import { Container, Monitor, Play, SquareTerminal } from 'lucide-react'
import type { Recording, RecordingType } from '@sallyport/wire/entities/recording.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { formatSearch } from '../../parts/search-string.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { CopyButton } from '../../ui/CopyButton.tsx'
import { durationClock, formatDate } from '../../ui/dates.ts'
import type { Zone } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import type { IconType } from '../../ui/Icon.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import styles from './Recordings.module.css'

const types: Record<RecordingType, { icon: IconType; name: string }> = {
  ssh: { icon: SquareTerminal, name: 'SSH' },
  k8s: { icon: Container, name: 'Kubernetes' },
  desktop: { icon: Monitor, name: 'Desktop' },
}

export interface RecordingView {
  clusterId: string
  zone: Zone
  dateTimeFormat: string
}

/** The page that plays a recording; it needs to know the kind and the length. */
export function playerPath(clusterId: string, recording: Recording, moment?: { t: string; find: string }): string {
  return (
    routePath('player', { clusterId, sid: recording.sid }) +
    formatSearch({ recordingType: recording.recordingType, durationMs: recording.duration, ...moment })
  )
}

export const recordingColumns = ({ clusterId, zone, dateTimeFormat }: RecordingView): Column<Recording>[] => [
  {
    id: 'name',
    header: 'Name',
    sort: (recording) => recording.hostname,
    phone: 'title',
    cell: (recording) => (
      <span className={`row ${styles['name']}`}>
        <span title={types[recording.recordingType].name}>
          <Icon of={types[recording.recordingType].icon} />
          <span className="sr">{types[recording.recordingType].name}</span>
        </span>
        <span className="trunc" title={recording.hostname}>
          {recording.hostname}
        </span>
      </span>
    ),
  },
  {
    id: 'users',
    header: 'Users',
    sort: (recording) => recording.users,
    cell: (recording) => <span title={recording.users}>{recording.users}</span>,
  },
  {
    id: 'duration',
    header: 'Duration',
    width: '112px',
    sort: (recording) => recording.duration,
    phone: 'hide',
    cell: (recording) => <span title={durationClock(recording.duration)}>{recording.durationText}</span>,
  },
  {
    id: 'created',
    header: zone === 'utc' ? 'Created (UTC)' : 'Created (local)',
    width: '176px',
    kind: 'machine',
    sort: (recording) => recording.createdDate.getTime(),
    cell: (recording) => formatDate(recording.createdDate, dateTimeFormat, zone),
  },
  {
    id: 'sid',
    header: 'Session ID',
    width: '168px',
    kind: 'machine',
    phone: 'hide',
    cell: (recording) => (
      <span className="row gap1">
        <span className="trunc" title={recording.sid}>
          {recording.sid}
        </span>
        <CopyButton text={recording.sid} label={`Copy session ID of ${recording.hostname}`} />
      </span>
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '144px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '56px',
    cell: (recording) =>
      recording.playable ? (
        <a
          {...rowPrimary}
          className={buttonClass({ size: 24 })}
          href={playerPath(clusterId, recording)}
          target="_blank"
          rel="noopener"
          aria-label={`Play session of ${recording.users} on ${recording.hostname}`}
        >
          <Icon of={Play} size={14} />
          Play
        </a>
      ) : (
        <span className="muted sm">{recording.description}</span>
      ),
  },
]

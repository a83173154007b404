import { Play } from 'lucide-react'
import type { Recording } from '@sallyport/wire/entities/recording.ts'
import { buttonClass } from '../../ui/Button.tsx'
import { durationClock, formatDate } from '../../ui/dates.ts'
import { Icon } from '../../ui/Icon.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { playerPath, type RecordingView } from './recording-columns.tsx'
import styles from './Recordings.module.css'

export interface Hit {
  key: string
  recording: Recording
  /** Milliseconds into the recording. */
  at: number
  text: string
  from: number
  to: number
}

/** Characters shown before what was found, which is to be in sight in narrow columns as well. */
const before = 32

export const hitColumns = ({ clusterId, zone, dateTimeFormat, q }: RecordingView & { q: string }): Column<Hit>[] => [
  {
    id: 'line',
    header: 'On the screen',
    kind: 'machine',
    phone: 'title',
    cell: ({ text, from, to }) => (
      <span className={styles['line']} title={text}>
        {from > before ? `…${text.slice(from - before, from)}` : text.slice(0, from)}
        <mark>{text.slice(from, to)}</mark>
        {text.slice(to)}
      </span>
    ),
  },
  {
    id: 'who',
    header: 'Users',
    width: '144px',
    cell: ({ recording }) => <span title={recording.users}>{recording.users}</span>,
  },
  {
    id: 'where',
    header: 'Server',
    width: '168px',
    cell: ({ recording }) => <span title={recording.hostname}>{recording.hostname}</span>,
  },
  {
    id: 'when',
    header: zone === 'utc' ? 'When (UTC)' : 'When (local)',
    width: '176px',
    kind: 'machine',
    cell: ({ recording, at }) => formatDate(momentOf(recording, at), dateTimeFormat, zone),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '136px',
    kind: 'actions',
    phone: 'corner',
    skeleton: '56px',
    cell: ({ recording, at }) => (
      <a
        {...rowPrimary}
        className={buttonClass({ size: 24 })}
        href={playerPath(clusterId, recording, { t: String(at / 1000), find: q })}
        target="_blank"
        rel="noopener"
        aria-label={`Play session of ${recording.users} on ${recording.hostname} at ${durationClock(at)}`}
      >
        <Icon of={Play} size={14} />
        {durationClock(at)}
      </a>
    ),
  },
]

/** The session's end is what the row knows; the moment lies so long after its start. */
const momentOf = (recording: Recording, at: number): Date => new Date(recording.createdDate.getTime() - recording.duration + at)

import { config } from '../../api/page.ts'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate, relativeWords, SHORT_DATE_FORMAT } from '../../ui/dates.ts'
import { LabelPill } from '../../ui/LabelPill.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { useNow } from '../../ui/use-now.ts'
import { keyOf } from '../../parts/choose/choices.ts'
import { choiceText, kindWords } from './lock-kinds.ts'
import { useLockActions } from './lock-actions.ts'
import type { LockRow } from './use-locks.ts'
import styles from './Locks.module.css'

const full = (date: Date): string => formatDate(date, config.loc.dateTimeFormat)

function Expiry({ row: { lock, state } }: { row: LockRow }) {
  const now = useNow()
  return (
    <>
      <span className={`muted ${styles['what']}`}>Expires </span>
      {lock.expires === undefined ? (
        <span className="muted">Never</span>
      ) : (
        <span title={full(lock.expires)}>{state === 'expired' ? <Badge>Expired</Badge> : relativeWords(lock.expires, now)}</span>
      )}
    </>
  )
}

function Actions({ row }: { row: LockRow }) {
  const { onEdit, onRemove, mayEdit, mayRemove } = useLockActions()
  const what = choiceText(row.choices)
  return (
    <span className={styles['actions']}>
      {mayEdit && (
        <Button {...rowPrimary} size={24} aria-label={`Edit lock on ${what}`} onClick={() => onEdit(row)}>
          Edit
        </Button>
      )}
      {mayRemove && (
        <Button
          {...(!mayEdit && rowPrimary)}
          size={24}
          kind="danger-quiet"
          aria-label={`Remove lock on ${what}`}
          onClick={() => onRemove(row)}
        >
          Remove
        </Button>
      )}
    </span>
  )
}

export const lockColumns: readonly Column<LockRow>[] = [
  {
    id: 'targets',
    header: 'Locked items',
    width: '30%',
    phone: 'title',
    cell: ({ choices }) => (
      <span className={styles['pills']}>
        {choices.map((choice) => (
          <LabelPill key={keyOf(choice)} label={{ name: kindWords[choice.kind], value: choice.name }} />
        ))}
      </span>
    ),
  },
  {
    id: 'by',
    header: 'Locked by',
    width: '14%',
    sort: ({ lock }) => lock.createdBy,
    cell: ({ lock }) => (
      <>
        <span className={`muted ${styles['what']}`}>Locked by </span>
        {lock.createdBy || <span className="muted">unknown</span>}
      </>
    ),
  },
  {
    id: 'start',
    header: 'Start',
    width: '124px',
    sort: ({ lock }) => lock.created?.getTime() ?? 0,
    cell: ({ lock }) =>
      lock.created && (
        <>
          <span className={`muted ${styles['what']}`}>Start </span>
          <span title={full(lock.created)}>{formatDate(lock.created, SHORT_DATE_FORMAT)}</span>
        </>
      ),
  },
  {
    id: 'expires',
    header: 'Expires',
    width: '124px',
    // Those without an end come last.
    sort: ({ lock }) => lock.expires?.getTime() ?? Number.MAX_SAFE_INTEGER,
    cell: (row) => <Expiry row={row} />,
  },
  {
    id: 'message',
    header: 'Message',
    sort: ({ lock }) => lock.message,
    cell: ({ lock }) => (
      <span className="trunc" title={lock.message}>
        {lock.message}
      </span>
    ),
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '140px',
    kind: 'actions',
    skeleton: '72px',
    cell: (row) => <Actions row={row} />,
  },
]

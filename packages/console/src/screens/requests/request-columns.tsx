import { config } from '../../api/page.ts'
import { Button } from '../../ui/Button.tsx'
import { formatDate, relativeWords } from '../../ui/dates.ts'
import { ValuePill } from '../../ui/LabelPill.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { useNow } from '../../ui/use-now.ts'
import { useAction } from '../../parts/use-action.ts'
import { assume, useRequestActions } from './request-actions.ts'
import { StateBadge } from './StateBadge.tsx'
import { canAssume, wishOf } from './use-requests.ts'
import type { RequestRow } from './use-requests.ts'
import styles from './Requests.module.css'

const shown = 3

function Time({ of, what }: { of: Date | undefined; what: string }) {
  const now = useNow()
  return (
    <>
      <span className={`muted ${styles['what']}`}>{what} </span>
      {of ? <span title={formatDate(of, config.loc.dateTimeFormat)}>{relativeWords(of, now)}</span> : <span className="muted">–</span>}
    </>
  )
}

/** Until then it waits, or its access lasts; there is nothing to say about what is decided or over. */
const endOf = ({ request }: RequestRow): Date | undefined =>
  request.state === 'PENDING' ? request.waitsUntil : request.state === 'APPROVED' ? request.accessEnds : undefined

function Actions({ row }: { row: RequestRow }) {
  const { onOpen } = useRequestActions()
  const { request } = row
  const assuming = useAction(() => assume(row))
  const what = `request of ${request.user}`
  return (
    <span className={styles['actions']}>
      {canAssume(row) && (
        <Button size={24} kind="primary" busy={assuming.busy} aria-label={`Assume ${what}`} onClick={assuming.start}>
          Assume
        </Button>
      )}
      <Button {...rowPrimary} size={24} aria-label={`${request.mayReview ? 'Review' : 'View'} ${what}`} onClick={() => onOpen(row)}>
        {request.mayReview ? 'Review' : 'View'}
      </Button>
    </span>
  )
}

export const requestColumns: readonly Column<RequestRow>[] = [
  {
    id: 'user',
    header: 'User',
    width: '14%',
    phone: 'title',
    sort: ({ request }) => request.user,
    cell: ({ request }) => (
      <span className="trunc" title={request.user}>
        {request.user}
      </span>
    ),
  },
  {
    id: 'wish',
    header: 'Asks for',
    width: '24%',
    cell: ({ request }) => {
      const wish = wishOf(request)
      return (
        <span className={styles['pills']} title={wish.join(', ')}>
          {wish.slice(0, shown).map((one) => (
            <ValuePill key={one}>{one}</ValuePill>
          ))}
          {wish.length > shown && <span className="muted">+{wish.length - shown}</span>}
        </span>
      )
    },
  },
  {
    id: 'reason',
    header: 'Reason',
    cell: ({ request }) => (
      <span className="trunc" title={request.reason}>
        {request.reason || <span className="muted">none given</span>}
      </span>
    ),
  },
  {
    id: 'state',
    header: 'State',
    width: '104px',
    phone: 'corner',
    sort: ({ request }) => request.state,
    cell: (row) => <StateBadge row={row} />,
  },
  {
    id: 'created',
    header: 'Created',
    width: '120px',
    sort: ({ request }) => request.created?.getTime() ?? 0,
    cell: ({ request }) => <Time of={request.created} what="Created" />,
  },
  {
    id: 'expires',
    header: 'Expires',
    width: '96px',
    // What has no end any more comes last.
    sort: (row) => endOf(row)?.getTime() ?? Number.MAX_SAFE_INTEGER,
    cell: (row) => <Time of={endOf(row)} what="Expires" />,
  },
  {
    id: 'actions',
    header: 'Actions',
    width: '152px',
    kind: 'actions',
    skeleton: '72px',
    cell: (row) => <Actions row={row} />,
  },
]

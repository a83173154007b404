import { severityOf } from '@sallyport/wire/audit/event.ts'
import type { AuditDisplay } from '@sallyport/wire/audit/catalogue.ts'
import { Button } from '../../ui/Button.tsx'
import { formatDate } from '../../ui/dates.ts'
import type { Zone } from '../../ui/dates.ts'
import { StatusGlyph } from '../../ui/StatusGlyph.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { severityName, severityStatus } from './audit-filter.ts'

export interface AuditView {
  zone: Zone
  dateTimeFormat: string
  /** Details stand beside the list, so it has less room. */
  narrow: boolean
  onOpen: (event: AuditDisplay) => void
}

export function auditColumns({ zone, dateTimeFormat, narrow, onOpen }: AuditView): Column<AuditDisplay>[] {
  const type: Column<AuditDisplay> = {
    id: 'type',
    header: 'Type',
    width: narrow ? '168px' : '20%',
    sort: (event) => event.codeDesc,
    phone: 'title',
    cell: (event) => (
      <span className="row">
        <StatusGlyph status={severityStatus[severityOf(event.code)]} label={severityName[severityOf(event.code)]} />
        <span className="trunc" title={`${event.codeDesc} (${event.code || event.raw.event})`}>
          {event.codeDesc}
        </span>
      </span>
    ),
  }
  const created: Column<AuditDisplay> = {
    id: 'created',
    header: zone === 'utc' ? 'Created (UTC)' : 'Created (local)',
    width: '176px',
    kind: 'machine',
    sort: (event) => event.time.getTime(),
    cell: (event) => formatDate(event.time, dateTimeFormat, zone),
  }
  const description: Column<AuditDisplay> = {
    id: 'description',
    header: 'Description',
    cell: (event) => (
      <span className="t2" title={event.message}>
        {event.message}
      </span>
    ),
  }
  if (narrow) return [created, type, description]
  return [
    created,
    type,
    description,
    {
      id: 'user',
      header: 'User',
      width: '15%',
      sort: (event) => event.user,
      phone: 'hide',
      cell: (event) => <span title={event.user}>{event.user}</span>,
    },
    {
      id: 'actions',
      header: 'Actions',
      width: '92px',
      kind: 'actions',
      phone: 'corner',
      skeleton: '48px',
      cell: (event) => (
        <Button
          {...rowPrimary}
          size={24}
          aria-label={`Details of ${event.codeDesc} at ${formatDate(event.time, dateTimeFormat, zone)}`}
          onClick={() => onOpen(event)}
        >
          Details
        </Button>
      ),
    },
  ]
}

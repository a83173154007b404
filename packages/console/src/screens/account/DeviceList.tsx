import { useQuery } from '@tanstack/react-query'
import { CircleHelp, KeyRound, Smartphone } from 'lucide-react'
import { useMemo, useState } from 'react'
import { devices } from '@sallyport/wire/calls/mfa.ts'
import { toMfaDevice } from '@sallyport/wire/entities/mfa.ts'
import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { config } from '../../api/page.ts'
import { callQuery } from '../../api/queries.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate, SHORT_DATE_FORMAT } from '../../ui/dates.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Table } from '../../ui/Table.tsx'
import styles from './Account.module.css'
import { useListTable } from '../../ui/use-list-table.ts'
import type { Column, Sort } from '../../ui/use-list-table.ts'

const icons = { 'Authenticator App': Smartphone, 'Hardware Key': KeyRound, 'unknown device': CircleHelp } as const

/** As a card a row has no heads, so the date says which one it is. */
const day = (what: string, date: Date | undefined) => (
  <>
    <span className={`muted ${styles['what']}`}>{what} </span>
    {date ? (
      <span title={formatDate(date, config.loc.dateTimeFormat)}>{formatDate(date, SHORT_DATE_FORMAT)}</span>
    ) : (
      <span className="muted">never</span>
    )}
  </>
)

const columns: readonly Column<MfaDevice>[] = [
  {
    id: 'name',
    header: 'Name',
    phone: 'title',
    sort: ({ name }) => name,
    cell: ({ description, name }) => (
      <span className="row">
        <Icon of={icons[description]} />
        {name}
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    phone: 'line',
    sort: ({ description }) => description,
    cell: ({ description }) => description,
  },
  {
    id: 'registered',
    header: 'Registered',
    phone: 'line',
    width: '160px',
    sort: ({ registeredDate }) => registeredDate?.getTime() ?? 0,
    cell: ({ registeredDate }) => day('Registered', registeredDate),
  },
  {
    id: 'used',
    header: 'Last used',
    phone: 'line',
    width: '160px',
    sort: ({ lastUsedDate }) => lastUsedDate?.getTime() ?? 0,
    cell: ({ lastUsedDate }) => day('Last used', lastUsedDate),
  },
]
const rowKey = ({ id }: MfaDevice): string => id

/** The viewer's second-factor devices. */
export function DeviceList() {
  const query = useQuery(callQuery(devices))
  const rows = useMemo(() => query.data?.map(toMfaDevice), [query.data])
  const [sort, setSort] = useState<Sort>({ id: 'name', desc: false })
  const list = useListTable({ columns, rows, rowKey, sort })
  if (query.error && !rows) {
    return (
      <Alert kind="danger" title="Could not read your devices." action={<Button onClick={() => void query.refetch()}>Retry</Button>}>
        {query.error.message}
      </Alert>
    )
  }
  return (
    <Table
      list={list}
      label="Second-factor devices"
      onSort={setSort}
      skeletonRows={2}
      empty={
        <EmptyState title="No devices yet" plain>
          This account has no second-factor device.
        </EmptyState>
      }
    />
  )
}

import { CircleHelp, FingerprintPattern, KeyRound, Plus, Smartphone } from 'lucide-react'
import { useState } from 'react'
import type { MfaDevice } from '@sallyport/wire/entities/mfa.ts'
import { config } from '../../api/page.ts'
import { LoadError } from '../../parts/LoadError.tsx'
import { useUserContext } from '../../parts/user-context.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { formatDate, SHORT_DATE_FORMAT } from '../../ui/dates.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import type { Column, Sort } from '../../ui/use-list-table.ts'
import styles from './Account.module.css'
import { AddDevice } from './AddDevice.tsx'
import { DeviceActions, factorsOff } from './DeviceActions.tsx'
import { methodsOf } from './MethodStep.tsx'
import type { Method } from './MethodStep.tsx'
import { PasskeyInvitation } from './PasskeyInvitation.tsx'
import { useDevices, useOwnFactors } from './use-own-factors.ts'

const icons = { 'Authenticator App': Smartphone, 'Hardware Key': KeyRound, 'unknown device': CircleHelp } as const

/** As a card a row has no heads, so the date says which one it is. */
const day = (what: string, date: Date | undefined) => (
  <>
    <span className={`muted ${styles['what']}`}>{what} </span>
    {date ? (
      <span title={formatDate(date, config.loc.dateTimeFormat)}>{formatDate(date, SHORT_DATE_FORMAT)}</span>
    ) : (
      <span className="muted">Never</span>
    )}
  </>
)

const columns: readonly Column<MfaDevice>[] = [
  {
    id: 'name',
    header: 'Name',
    phone: 'title',
    sort: ({ name }) => name,
    cell: ({ description, name, passwordless }) => (
      <span className="row">
        <Icon of={passwordless ? FingerprintPattern : icons[description]} />
        {name}
      </span>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    phone: 'line',
    sort: ({ description }) => description,
    cell: ({ description, passwordless }) => (
      <span className="row wrap">
        {description}
        {passwordless && <Badge tone="ok">signs in without a password</Badge>}
      </span>
    ),
  },
  {
    id: 'registered',
    header: 'Registered',
    phone: 'line',
    width: '130px',
    sort: ({ registeredDate }) => registeredDate?.getTime() ?? 0,
    cell: ({ registeredDate }) => day('Registered', registeredDate),
  },
  {
    id: 'used',
    header: 'Last used',
    phone: 'line',
    width: '130px',
    sort: ({ lastUsedDate }) => lastUsedDate?.getTime() ?? 0,
    cell: ({ lastUsedDate }) => day('Last used', lastUsedDate),
  },
  {
    id: 'actions',
    header: 'Actions',
    kind: 'actions',
    phone: 'corner',
    width: '88px',
    cell: (device) => <DeviceActions device={device} />,
  },
]
const rowKey = ({ id }: MfaDevice): string => id

/** The viewer's second-factor devices and passkeys in one table, and what can be done to them. */
export function DeviceList() {
  const { rows, error, refetch } = useDevices()
  const factors = useOwnFactors(rows)
  const [sort, setSort] = useState<Sort>({ id: 'name', desc: false })
  const [adding, setAdding] = useState<Method>()
  const list = useListTable({ columns, rows, rowKey, sort })
  // Whoever signs in through an identity provider has no use for a passkey here.
  const isLocal = useUserContext().authType === 'local'
  const methods = methodsOf({ ...config.auth, allowPasswordless: config.auth.allowPasswordless && isLocal })
  const [firstMethod] = methods
  // Of a key of which the proxy does not tell, nobody knows that it is no passkey.
  const mayBePasskey = ({ passwordless, description }: MfaDevice): boolean => passwordless ?? description === 'Hardware Key'
  const lacksPasskey = rows !== undefined && methods.includes('passkey') && !rows.some(mayBePasskey)
  return (
    <>
      <div className={styles['head']}>
        <h2 id="devices-title">Second-factor devices</h2>
        <span className="grow" />
        <Button
          icon={Plus}
          disabled={factors === undefined}
          {...(firstMethod === undefined && { disabledReason: factorsOff })}
          onClick={() => setAdding(methods.find((method) => method !== 'passkey') ?? firstMethod)}
        >
          Add device
        </Button>
      </div>
      {error && <LoadError title="Could not read your devices." error={error} onRetry={refetch} />}
      {(rows || !error) && (
        <Table
          list={list}
          label="Second-factor devices"
          onSort={setSort}
          skeletonRows={1}
          empty={
            <EmptyState title="No devices yet" plain>
              Add a passkey, security key or authenticator app.
            </EmptyState>
          }
        />
      )}
      {lacksPasskey && <PasskeyInvitation onAdd={() => setAdding('passkey')} />}
      {adding && factors && (
        <AddDevice
          methods={methods}
          factors={factors}
          taken={rows?.map(({ name }) => name) ?? []}
          method={adding}
          onClose={() => setAdding(undefined)}
        />
      )}
    </>
  )
}

import { useState } from 'react'
import { awsDatabases } from '@sallyport/wire/calls/integrations.ts'
import type { DatabaseWire } from '@sallyport/wire/entities/database.ts'
import { request } from '../../api/page.ts'
import { FocusedAlert } from '../../parts/FocusedAlert.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useUserContext } from '../../parts/user-context.tsx'
import { awsRegion } from '../../parts/validators/aws.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Select } from '../../ui/Select.tsx'
import { SuggestField } from '../../ui/SuggestField.tsx'
import { Table } from '../../ui/Table.tsx'
import { useListTable } from '../../ui/use-list-table.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { engineChoices, regions } from './aws-fields.ts'
import type { Engine } from './aws-fields.ts'
import styles from './Integrations.module.css'

const engineOptions = Object.entries(engineChoices).map(([value, { label }]) => ({ value: value as Engine, label }))
const columns: Column<DatabaseWire>[] = [
  { id: 'name', header: 'Name', width: '26%', phone: 'title', cell: ({ name }) => <span className={styles['whole']}>{name}</span> },
  { id: 'uri', header: 'Address', cell: ({ uri }) => <span className={`mono ${styles['whole']}`}>{uri}</span> },
  { id: 'status', header: 'Status', width: '120px', cell: ({ aws }) => aws?.status ?? '–' },
]
const rowKey = ({ uri }: DatabaseWire): string => uri

interface Listing {
  databases: readonly DatabaseWire[]
  region: string
  engine: Engine
  /** Of the next page; empty at the end. */
  nextToken: string
}

/** What Amazon shows to the integration's role, region by region. */
export function AwsDatabases({ name, onClose }: { name: string; onClose: () => void }) {
  const { clusterId } = useUserContext().cluster
  const [region, setRegion] = useState('us-east-1')
  const [engine, setEngine] = useState<Engine>('postgres')
  const [listing, setListing] = useState<Listing>()
  const problem = region === '' ? undefined : awsRegion(region)
  const list = useAction(async (before: Listing | undefined) => {
    const asked = before ?? { region: region.trim(), engine, nextToken: '', databases: [] }
    const { rdsType, engines } = engineChoices[asked.engine]
    if (!before) setListing(undefined)
    const answer = await request(awsDatabases, {
      params: { clusterId, name },
      body: { rdsType, engines: [...engines], region: asked.region, nextToken: asked.nextToken },
    })
    setListing({ ...asked, databases: [...asked.databases, ...answer.databases], nextToken: answer.nextToken })
  })
  const table = useListTable({ columns, rows: listing?.databases, rowKey, sort: undefined })
  return (
    <Dialog open width={700} title={`Databases of ${name}`} onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <form
        className={styles['form']}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          if (awsRegion(region) === undefined) list.start(undefined)
        }}
      >
        <div className={styles['ask']}>
          <SuggestField label="Region" value={region} suggestions={regions} error={problem} onValue={setRegion} />
          <Select label="Engine" options={engineOptions} value={engine} onValue={setEngine} />
          <Button kind="primary" type="submit" busy={list.busy}>
            List databases
          </Button>
        </div>
        {list.error && (
          <FocusedAlert key={list.error.message} kind="danger" title="Could not list databases.">
            {list.error.message}
          </FocusedAlert>
        )}
      </form>
      {(listing || list.busy) && (
        <Table
          list={table}
          label={`Databases in ${listing?.region ?? region}`}
          skeletonRows={3}
          refetching={list.busy}
          empty={
            <EmptyState plain title="No databases here">
              {engineChoices[listing?.engine ?? engine].label} has none in {listing?.region} that this role may see.
            </EmptyState>
          }
        />
      )}
      {listing && listing.nextToken !== '' && (
        <Button busy={list.busy} onClick={() => list.start(listing)}>
          Load more
        </Button>
      )}
    </Dialog>
  )
}

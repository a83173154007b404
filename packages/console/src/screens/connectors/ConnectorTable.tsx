import { useMemo } from 'react'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Table } from '../../ui/Table.tsx'
import { rowPrimary } from '../../ui/use-list-keys.ts'
import type { Column } from '../../ui/use-list-table.ts'
import { useListTable } from '../../ui/use-list-table.ts'
import { ConnectorMenu } from './ConnectorTile.tsx'
import type { ConnectorActions } from './ConnectorTile.tsx'
import { kindWords } from './kinds.ts'
import type { Connector } from './use-connectors.ts'

const rowKey = ({ item }: Connector): string => item.id

/** Many connectors, one on each line. */
export function ConnectorTable({ connectors, actions }: { connectors: readonly Connector[]; actions: ConnectorActions }) {
  const columns = useMemo(() => columnsOf(actions), [actions])
  const list = useListTable({ columns, rows: connectors, rowKey, sort: undefined })
  return <Table list={list} label="Auth connectors" />
}

const columnsOf = (actions: ConnectorActions): Column<Connector>[] => [
  {
    id: 'name',
    header: 'Name',
    phone: 'title',
    cell: ({ item, isDefault }) => (
      <span className="row">
        <span className="trunc" title={item.name}>
          {item.name}
        </span>
        {isDefault && <Badge tone="brand">default</Badge>}
      </span>
    ),
  },
  { id: 'kind', header: 'Kind', width: '30%', cell: ({ kind }) => <span className="t2">{kindWords[kind].title}</span> },
  {
    id: 'actions',
    header: 'Actions',
    width: '128px',
    kind: 'actions',
    phone: 'corner',
    cell: (connector) => (
      <span className="row gap1" style={{ justifyContent: 'flex-end' }}>
        {actions.may.read && (
          <Button {...rowPrimary} size={24} aria-label={`Open connector ${connector.item.name}`} onClick={() => actions.open(connector)}>
            Open
          </Button>
        )}
        <ConnectorMenu connector={connector} actions={actions} />
      </span>
    ),
  },
]

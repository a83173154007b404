import { ChevronDown, Ellipsis } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../ui/Badge.tsx'
import { Button } from '../ui/Button.tsx'
import { Icon } from '../ui/Icon.tsx'
import { IconButton } from '../ui/IconButton.tsx'
import { NumberedPager } from '../ui/NumberedPager.tsx'
import { KeysetPager } from '../ui/Pager.tsx'
import { SplitButton } from '../ui/SplitButton.tsx'
import { StatusGlyph, type Status } from '../ui/StatusGlyph.tsx'
import { Table } from '../ui/Table.tsx'
import type { RowLook } from '../ui/TableRow.tsx'
import { useListTable, type Column, type Sort } from '../ui/use-list-table.ts'
import { Section } from './Section.tsx'
import styles from './Gallery.module.css'

type Piece = { name: string; address: string; status: Status; look?: RowLook; badge?: string }

const pieces: Piece[] = [
  { name: 'rest', address: '10.42.0.11:3022', status: 'ok' },
  { name: 'fresh', address: '10.42.0.13:3022', status: 'ok', look: 'fresh' },
  { name: 'selected', address: '10.42.0.14:3022', status: 'ok', look: 'selected' },
  { name: 'offline', address: '10.42.0.15:3022', status: 'off', look: 'off' },
  { name: 'error', address: '10.42.0.16:3022', status: 'danger', badge: 'Certificate expired' },
]

const columns: Column<Piece>[] = [
  {
    id: 'name',
    header: 'Hostname',
    width: '40%',
    sort: (piece) => piece.name,
    phone: 'title',
    cell: (piece) => (
      <span className="row">
        <StatusGlyph status={piece.status} />
        <span className="trunc">{piece.name}</span>
        {piece.badge && <Badge tone="danger">{piece.badge}</Badge>}
      </span>
    ),
  },
  { id: 'address', header: 'Address', kind: 'machine', sort: (piece) => piece.address, cell: (piece) => piece.address },
  {
    id: 'actions',
    header: 'Actions',
    kind: 'actions',
    width: '154px',
    phone: 'corner',
    skeleton: '72px',
    cell: (piece) => (
      <span className="row gap1" style={{ justifyContent: 'flex-end' }}>
        <SplitButton
          main={
            <Button size={24} disabled={piece.look === 'off'}>
              Connect
            </Button>
          }
          choice={
            <Button size={24} square aria-label={`Choose login for ${piece.name}`} disabled={piece.look === 'off'}>
              <Icon of={ChevronDown} size={14} />
            </Button>
          }
        />
        <IconButton size={24} icon={Ellipsis} label={`More for ${piece.name}`} />
      </span>
    ),
  },
]

const many = Array.from({ length: 4871 })
const rowKey = (piece: Piece) => piece.name
const look = (piece: Piece) => piece.look

/** The table in its states. */
export function TablePieces() {
  const [sort, setSort] = useState<Sort>({ id: 'address', desc: false })
  const [page, setPage] = useState(3)
  const [refetching, setRefetching] = useState(false)
  const refetch = () => {
    setRefetching(true)
    setTimeout(() => setRefetching(false), 3000)
  }
  const list = useListTable({ columns, rows: pieces, rowKey, sort })
  const two = useListTable({ columns, rows: pieces.slice(0, 2), rowKey, sort })
  const loading = useListTable<Piece>({ columns, rows: undefined, rowKey, sort })
  return (
    <Section title="Table" note="40 px rows, hairlines, no stripes. j and k move the cursor.">
      <div className={styles['stack']}>
        <div>
          <Table list={list} label="States of a row" onSort={setSort} look={look} />
          <KeysetPager
            from={1}
            count={5}
            total={318}
            size={15}
            sizes={[15, 30, 50, 100]}
            onSize={() => undefined}
            onPrevious={undefined}
            onNext={() => undefined}
            hints={[
              ['j k', 'move'],
              ['↵', 'connect'],
              ['m', 'menu'],
            ]}
          />
        </div>
        <div>
          <Button size={24} onClick={refetch}>
            Fetch again for 3 seconds
          </Button>
        </div>
        <Table list={two} label="While fetching again" onSort={setSort} refetching={refetching} />
        <div>
          <Table list={loading} label="First load" skeletonRows={2} />
          <NumberedPager list={{ sorted: many, page, pageSize: 50, pageCount: 98 }} onPage={setPage} />
        </div>
      </div>
    </Section>
  )
}

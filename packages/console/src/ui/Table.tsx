/* oxlint-disable jsx-a11y/no-interactive-element-to-noninteractive-role -- as cards the rows are no table boxes any more, which would drop the roles they have by themselves */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useRef, type ReactNode } from 'react'
import { cx } from './cx.ts'
import { Icon } from './Icon.tsx'
import { ProgressLine } from './ProgressLine.tsx'
import { Skeleton } from './Skeleton.tsx'
import { useDelay } from './Spinner.tsx'
import type { RowLook } from './TableRow.tsx'
import { TableRows } from './TableRows.tsx'
import { useListKeys } from './use-list-keys.ts'
import type { Column, ListTable, Sort } from './use-list-table.ts'
import styles from './Table.module.css'

export type TableProps<Row> = {
  list: ListTable<Row>
  /** What the rows are; read as the table's caption. */
  label: string
  onSort?: (sort: Sort) => void
  /** New rows are on their way; the old ones stay, dimmed, under a running line. */
  refetching?: boolean
  look?: (row: Row) => RowLook
  /** A row pressed as a whole (click, Enter); rows with a main action mark that instead, see use-list-keys.ts. */
  onOpen?: (row: Row) => void
  /** Stands in place of the rows when there are none. */
  empty?: ReactNode
  skeletonRows?: number
}

/** The one table. Real rows and headers, sortable, with a keyboard cursor; cards below 768 px. */
export function Table<Row>({ list, label, onSort, refetching, look, onOpen, empty, skeletonRows = 8 }: TableProps<Row>) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [cursor, setCursor] = useListKeys(body, list.shown.length, (index) => {
    const entry = list.shown[index]
    if (entry) onOpen?.(entry.row)
  })
  const isEmpty = list.loaded && list.shown.length === 0
  if (isEmpty && empty) {
    return (
      <div className={styles['wrap']}>
        {refetching && (
          <div className={styles['progress']}>
            <ProgressLine thin label="Loading" />
          </div>
        )}
        {empty}
      </div>
    )
  }
  return (
    <div className={styles['wrap']} aria-busy={!list.loaded || (refetching ?? false)}>
      {refetching && list.loaded && (
        <div className={styles['progress']}>
          <ProgressLine thin label="Loading" />
        </div>
      )}
      <table className={styles['table']} role="table">
        <caption className="sr">{label}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {list.columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={list.sort} {...(onSort && { onSort })} />
            ))}
          </tr>
        </thead>
        <tbody ref={body} role="rowgroup" className={cx(refetching && styles['stale'])}>
          {list.loaded ? (
            <TableRows list={list} cursor={cursor} onCursor={setCursor} {...(look && { look })} {...(onOpen && { onOpen })} />
          ) : (
            <SkeletonRows columns={list.columns} count={skeletonRows} />
          )}
        </tbody>
      </table>
    </div>
  )
}

function HeaderCell<Row>({ column, sort, onSort }: { column: Column<Row>; sort: Sort | undefined; onSort?: (sort: Sort) => void }) {
  const own = sort?.id === column.id ? sort : undefined
  const sortable = column.sort !== undefined && onSort !== undefined
  return (
    <th
      scope="col"
      role="columnheader"
      {...(column.width && { style: { width: column.width } })}
      {...(sortable && { 'aria-sort': own ? (own.desc ? 'descending' : 'ascending') : 'none' })}
    >
      {column.kind === 'actions' || column.kind === 'select' ? (
        <span className="sr">{column.header}</span>
      ) : sortable ? (
        <button
          type="button"
          className={cx(own && styles['sorted'])}
          onClick={() => onSort({ id: column.id, desc: own ? !own.desc : false })}
        >
          {column.header}
          {own && <Icon of={own.desc ? ArrowDown : ArrowUp} size={14} />}
        </button>
      ) : (
        column.header
      )}
    </th>
  )
}

function SkeletonRows<Row>({ columns, count }: { columns: readonly Column<Row>[]; count: number }) {
  const due = useDelay(400)
  return Array.from({ length: count }, (_, index) => (
    <tr key={index} role="row" className={styles['ghost']}>
      {columns.map((column) => (
        <td key={column.id} role="cell" className={cx(styles[column.phone ?? 'line'])}>
          {due && <Skeleton width={column.skeleton ?? `${40 + ((index * 7 + column.id.length * 11) % 35)}%`} />}
        </td>
      ))}
    </tr>
  ))
}

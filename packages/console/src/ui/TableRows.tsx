/* oxlint-disable jsx-a11y/no-interactive-element-to-noninteractive-role -- as cards the rows are no table boxes any more, which would drop the roles they have by themselves */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useLayoutEffect, useRef, useState } from 'react'
import { cx } from './cx.ts'
import type { ListTable } from './use-list-table.ts'
import styles from './Table.module.css'

/** Above this many rows only those near the window are in the document. */
export const VIRTUAL_FROM = 200
const ROW_PX = 40

export type RowLook = 'selected' | 'off' | 'fresh' | undefined

export type TableRowsProps<Row> = {
  list: ListTable<Row>
  cursor: number
  onCursor: (index: number) => void
  look?: (row: Row) => RowLook
  onOpen?: (row: Row) => void
}

/** The rows of a table: all of them, or of long lists those in sight. */
export function TableRows<Row>(props: TableRowsProps<Row>) {
  if (props.list.shown.length > VIRTUAL_FROM) return <VirtualRows {...props} />
  return props.list.shown.map((entry, index) => <BodyRow key={entry.key} {...props} index={index} />)
}

function VirtualRows<Row>(props: TableRowsProps<Row>) {
  const marker = useRef<HTMLTableRowElement>(null)
  const [margin, setMargin] = useState(0)
  useLayoutEffect(() => {
    if (marker.current) setMargin(marker.current.getBoundingClientRect().top + window.scrollY)
  }, [])
  const virtual = useWindowVirtualizer({ count: props.list.shown.length, estimateSize: () => ROW_PX, overscan: 20, scrollMargin: margin })
  const items = virtual.getVirtualItems()
  const before = (items[0]?.start ?? margin) - margin
  const after = virtual.getTotalSize() - ((items.at(-1)?.end ?? margin) - margin)
  return (
    <>
      <tr ref={marker} aria-hidden="true" className={styles['space']} style={{ height: before }} />
      {items.map((item) => (
        <BodyRow key={props.list.shown[item.index]?.key} {...props} index={item.index} />
      ))}
      <tr aria-hidden="true" className={styles['space']} style={{ height: after }} />
    </>
  )
}

function BodyRow<Row>({ list, cursor, onCursor, look, onOpen, index }: TableRowsProps<Row> & { index: number }) {
  const entry = list.shown[index]
  if (!entry) return null
  const { row } = entry
  const state = look?.(row)
  return (
    <tr
      role="row"
      data-index={index}
      tabIndex={-1}
      aria-rowindex={index + 2}
      className={cx(state && styles[state], index === cursor && styles['cursor'], onOpen && styles['open'])}
      {...(state === 'selected' && { 'aria-selected': true })}
      onFocus={() => onCursor(index)}
      onClick={(event) => {
        const target = event.target as Element
        // What happens in a menu of the row arrives here as well, though the menu stands elsewhere.
        if (!onOpen || !event.currentTarget.contains(target) || target.closest('a, button, input, label')) return
        onOpen(row)
      }}
    >
      {list.columns.map((column) => (
        <td
          key={column.id}
          role="cell"
          className={cx(styles[column.kind ?? 'text'], styles[column.phone ?? 'line'])}
          {...(column.told && { 'data-head': column.header })}
        >
          {column.cell(row)}
        </td>
      ))}
    </tr>
  )
}

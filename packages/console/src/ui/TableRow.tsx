/* oxlint-disable jsx-a11y/no-interactive-element-to-noninteractive-role -- as cards the rows are no table boxes any more, which would drop the roles they have by themselves */
import type { Ref } from 'react'
import { cx } from './cx.ts'
import type { ListTable } from './use-list-table.ts'
import styles from './Table.module.css'

export type RowLook = 'selected' | 'off' | 'fresh' | undefined

export type TableRowsProps<Row> = {
  list: ListTable<Row>
  cursor: number
  onCursor: (index: number) => void
  look?: (row: Row) => RowLook
  onOpen?: (row: Row) => void
}

/** One row; its place in the list comes with it. */
export function TableRow<Row>({
  list,
  cursor,
  onCursor,
  look,
  onOpen,
  index,
  ref,
}: TableRowsProps<Row> & { index: number; ref?: Ref<HTMLTableRowElement> | undefined }) {
  const entry = list.shown[index]
  if (!entry) return null
  const { row } = entry
  const state = look?.(row)
  return (
    <tr
      ref={ref}
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

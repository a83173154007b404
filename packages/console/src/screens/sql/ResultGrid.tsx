import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { SqlColumn, SqlRow } from '@sallyport/wire/sockets/sql.ts'
import { copyText } from '../../ui/CopyButton.tsx'
import { cx } from '../../ui/cx.ts'
import { ValueDialog } from './ValueDialog.tsx'
import styles from './Sql.module.css'

const rowHeight = 28
/** Characters of a column: as wide as what is first in it, within these. */
const narrowest = 6
const widest = 48
const measuredRows = 50
/** Characters of a value that a cell holds; the rest is in the dialog. */
const cellLength = 300

interface Place {
  row: number
  column: number
}

const widthOf = (column: SqlColumn, index: number, rows: readonly SqlRow[]): number => {
  const lengths = rows.slice(0, measuredRows).map((row) => (row[index] ?? 'NULL').length)
  return Math.min(widest, Math.max(narrowest, column.name.length + column.type.length + 1, ...lengths))
}

/** The rows of a result: those in sight are in the document. Arrows move, Enter shows the whole value, Control and C copies it. */
export function ResultGrid({ columns, rows, count }: { columns: readonly SqlColumn[]; rows: readonly SqlRow[]; count: number }) {
  const box = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState<Place>({ row: 0, column: 0 })
  const [shown, setShown] = useState<Place>()
  const virtual = useVirtualizer({ count, getScrollElement: () => box.current, estimateSize: () => rowHeight, overscan: 12 })
  // The first rows decide; a column that changes its width while rows arrive would be hard to read.
  const measured = Math.min(count, measuredRows)
  const widths = useMemo(() => {
    const first = rows.slice(0, measured)
    return columns.map((column, index) => `calc(${widthOf(column, index, first)}ch + 24px)`)
  }, [columns, rows, measured])
  const template = { gridTemplateColumns: `56px ${widths.join(' ')}` }
  const valueAt = ({ row, column }: Place): string | null | undefined => rows[row]?.[column]
  const move = (row: number, column: number) => {
    const next = { row: Math.max(0, Math.min(count - 1, row)), column: Math.max(0, Math.min(columns.length - 1, column)) }
    setAt(next)
    virtual.scrollToIndex(next.row)
    box.current?.querySelector(`[data-column="${next.column}"]`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / rowHeight) - 2)
    const moves: Record<string, [number, number]> = {
      ArrowDown: [at.row + 1, at.column],
      ArrowUp: [at.row - 1, at.column],
      ArrowRight: [at.row, at.column + 1],
      ArrowLeft: [at.row, at.column - 1],
      PageDown: [at.row + page, at.column],
      PageUp: [at.row - page, at.column],
      Home: [event.ctrlKey ? 0 : at.row, 0],
      End: [event.ctrlKey ? count - 1 : at.row, columns.length - 1],
    }
    const to = moves[event.key]
    if (to) move(...to)
    else if (event.key === 'Enter') setShown(at)
    else if (event.key === 'c' && (event.ctrlKey || event.metaKey) && window.getSelection()?.isCollapsed !== false)
      void copyText(valueAt(at) ?? '')
    else return
    event.preventDefault()
  }
  const column = shown && columns[shown.column]
  return (
    <>
      <div
        ref={box}
        role="grid"
        aria-label="Rows"
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-activedescendant={count > 0 ? `cell-${at.row}-${at.column}` : undefined}
        tabIndex={0}
        className={styles['grid']}
        onKeyDown={onKeyDown}
      >
        <div role="row" aria-rowindex={1} className={styles['head']} style={template}>
          <span role="columnheader" className={styles['number']}>
            #
          </span>
          {columns.map(({ name, type }, index) => (
            <span key={index} role="columnheader" data-column={index} title={`${name} ${type}`}>
              {name} <span className={styles['type']}>{type}</span>
            </span>
          ))}
        </div>
        <div role="rowgroup" className={styles['rows']} style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start }) => (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 2}
              className={styles['line']}
              style={{ ...template, transform: `translateY(${start}px)` }}
            >
              <span role="rowheader" className={styles['number']}>
                {(index + 1).toLocaleString('en')}
              </span>
              {rows[index]?.map((value, place) => (
                // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus -- the grid has the focus and takes the keys
                <span
                  key={place}
                  id={`cell-${index}-${place}`}
                  role="gridcell"
                  aria-selected={index === at.row && place === at.column}
                  className={cx(value === null && styles['null'], index === at.row && place === at.column && styles['at'])}
                  onClick={() => setAt({ row: index, column: place })}
                  onDoubleClick={() => setShown({ row: index, column: place })}
                >
                  {value === null ? 'NULL' : value.slice(0, cellLength)}
                </span>
              ))}
            </div>
          ))}
        </div>
      </div>
      {shown && column && (
        <ValueDialog title={`${column.name}, row ${shown.row + 1}`} value={valueAt(shown) ?? null} onClose={() => setShown(undefined)} />
      )}
    </>
  )
}

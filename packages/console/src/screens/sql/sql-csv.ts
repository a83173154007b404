import type { SqlColumn, SqlRow } from '@sallyport/wire/sockets/sql.ts'
import { csvCell } from '../../parts/list/csv.ts'

/** Numbers stay what they are: the apostrophe that keeps spreadsheets from running texts would make texts of them. */
const isNumber = (value: string): boolean => /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)

/** NULL is an empty cell, an empty text a quoted one. */
const cell = (value: string | null): string => (value === null ? '' : isNumber(value) ? value : csvCell(value))

export const sqlCsv = (columns: readonly SqlColumn[], rows: readonly SqlRow[]): string =>
  [columns.map(({ name }) => csvCell(name)), ...rows.map((row) => row.map(cell))].map((cells) => `${cells.join(',')}\r\n`).join('')

/** Lists as files for spreadsheets. */

/**
 * A cell of a CSV file, always quoted. Spreadsheets run texts that begin with = + - @ tab or return as formulas, and
 * what people typed may stand in a cell: such a text gets an apostrophe in front.
 */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

export const csvOf = (rows: readonly (readonly string[])[]): string => rows.map((row) => row.map(csvCell).join(',')).join('\r\n') + '\r\n'

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

/** Hands a text to the viewer as a file. */
export function saveFile(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 0)
}

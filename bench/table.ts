import type { Row } from './report.ts'

const number = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString('en') : Number(value.toPrecision(3)).toString()
const headings = ['measure', 'ours', 'peer or limit of this run', 'ratio', 'aim', '']

const cells = ({ measure, ours, unit, against, aim }: Row): string[] => [
  measure,
  `${number(ours)} ${unit}`,
  against ? `${number(against.value)} ${unit} (${against.name})` : '',
  against ? (ours / against.value).toFixed(2) : '',
  aim?.text ?? '',
  aim ? (aim.holds ? 'holds' : 'MISSED') : '',
]

/** All rows as lines of text with aligned columns. */
export function formatTable(rows: readonly Row[]): string {
  const lines = [headings, ...rows.map(cells)]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const rule = widths.map((width) => '-'.repeat(width))
  return [lines[0] ?? [], rule, ...lines.slice(1)]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * `npm run requirements`: which rows of docs/requirements.md are closed by a test, by area.
 * `-- --area x` lists the rows of one area, `-- --open` the open rows of all (or of that area).
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readCitations, readLedger, type Requirement } from './requirements/ledger.ts'

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { area: { type: 'string' }, open: { type: 'boolean', default: false } } })

const rows = readLedger(root)
const closedBy = Map.groupBy(readCitations(root), ({ id }) => id)
const isClosed = ({ id }: Requirement): boolean => closedBy.has(id)
const areas = [...new Set(rows.map(({ area }) => area))]

if (values.area !== undefined && !areas.includes(values.area)) {
  console.error(`There is no area ${values.area}; the areas are ${areas.join(', ')}.`)
  process.exitCode = 1
} else if (values.area !== undefined || values.open) list()
else summarize()

function list(): void {
  for (const row of rows) {
    if (values.area !== undefined && row.area !== values.area) continue
    if (values.open && isClosed(row)) continue
    const proof = closedBy.get(row.id)?.[0]
    console.log(`${proof ? 'closed' : 'open  '}  ${row.id}  ${row.text}${proof ? `  (${proof.file}:${proof.line})` : ''}`)
  }
}

function summarize(): void {
  const width = Math.max(...areas.map((area) => area.length))
  const print = (name: string, of: readonly Requirement[]): void => {
    const closed = of.filter(isClosed).length
    const number = (value: number): string => String(value).padStart(8)
    console.log(name.padEnd(width) + number(closed) + number(of.length - closed) + number(of.length))
  }
  console.log('area'.padEnd(width) + '  closed    open     all')
  for (const area of areas)
    print(
      area,
      rows.filter((row) => row.area === area),
    )
  print('all', rows)
}

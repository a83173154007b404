import { Copy, Download } from 'lucide-react'
import { saveFile } from '../../parts/save-file.ts'
import { Alert } from '../../ui/Alert.tsx'
import { Button } from '../../ui/Button.tsx'
import { copyText } from '../../ui/CopyButton.tsx'
import { ResultGrid } from './ResultGrid.tsx'
import { sqlCsv } from './sql-csv.ts'
import type { SqlResult } from './sql-session.ts'
import styles from './Sql.module.css'

const furtherRows = [1000, 10_000] as const

/** How a statement stands, in words. */
export function statusOf({ state, count, tag, ms }: SqlResult): string {
  const rows = `${count.toLocaleString('en')} ${count === 1 ? 'row' : 'rows'}`
  if (state === 'running') return count > 0 ? `Running, ${rows} so far` : 'Running'
  if (state === 'paused') return `${rows}, there are more`
  if (state === 'cancelled') return count > 0 ? `Stopped after ${rows}` : 'Stopped'
  if (state === 'failed') return 'Failed'
  return `${tag || 'Done'} in ${ms.toLocaleString('en')} ms`
}

/** What came of one statement: its rows, or what is wrong with it. */
export function ResultView({ result, onMore }: { result: SqlResult; onMore: (rows: number) => void }) {
  const { columns, rows, count, state, problem } = result
  const csv = () => sqlCsv(columns, rows.slice(0, count))
  return (
    <div className={styles['result']}>
      {problem && state === 'failed' && (
        <Alert kind="danger" title={problem.message}>
          {[problem.detail, problem.hint].filter(Boolean).join(' ')} <span className="mono">{problem.code}</span>
        </Alert>
      )}
      {columns.length > 0 && <ResultGrid columns={columns} rows={rows} count={count} />}
      <div className={styles['foot']}>
        {/* What failed stands above already. */}
        <span role="status" className={problem && state === 'failed' ? 'sr' : undefined}>
          {statusOf(result)}
        </span>
        <span className="grow" />
        {state === 'paused' &&
          furtherRows.map((more) => (
            <Button key={more} size={24} onClick={() => onMore(more)}>
              {more.toLocaleString('en')} more
            </Button>
          ))}
        {columns.length > 0 && (
          <>
            <Button size={24} icon={Copy} onClick={() => void copyText(csv())}>
              Copy CSV
            </Button>
            <Button size={24} icon={Download} onClick={() => saveFile('result.csv', 'text/csv', csv())}>
              Save CSV
            </Button>
          </>
        )}
      </div>
    </div>
  )
}

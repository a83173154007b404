/** P8: audit events per second, durable, chained and in groups, against plain batched inserts into the same engine. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore, type StoreSource } from '@sallyport/proxy/store/db.ts'
import { measureAuditWrites } from '@sallyport/testkit/audit-writes.ts'
import { startPostgres } from '@sallyport/testkit/targets/postgres.ts'
import { whyNoProgram } from '@sallyport/testkit/targets/programs.ts'
import { note, report, skip } from './report.ts'

const aim = 0.6

async function measure(engine: string, source: StoreSource): Promise<void> {
  await using store = await openStore(source)
  const { perSecond, rawPerSecond, ratio, p50, p99 } = await measureAuditWrites(store)
  report({
    measure: `audit writes, ${engine}`,
    ours: perSecond,
    unit: 'events/s',
    against: { name: 'batches of 100', value: rawPerSecond },
    aim: { text: `>= ${aim}`, holds: ratio >= aim },
  })
  note(`${engine}: from emit to durable with 100 emitters p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`)
}

const folder = await mkdtemp(join(tmpdir(), 'sallyport-bench-'))
try {
  await measure('SQLite', { kind: 'sqlite', file: join(folder, 'store.db') })
} finally {
  await rm(folder, { recursive: true })
}

const whyNoPostgres = whyNoProgram('initdb')
if (whyNoPostgres) skip('audit writes, PostgreSQL', whyNoPostgres)
else {
  await using postgres = await startPostgres({ durable: true })
  await measure('PostgreSQL', { kind: 'postgres', url: await postgres.createDatabase() })
}

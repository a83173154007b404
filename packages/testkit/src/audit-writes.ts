/** Measure P8: durable, chained audit writes against plain batched inserts of the same rows on the same engine. */
import { randomUUID } from 'node:crypto'
import { createAuditLog } from '@sallyport/proxy/core/audit/audit-log.ts'
import { systemClock } from '@sallyport/proxy/core/clock.ts'
import type { AuditStore, Store } from '@sallyport/proxy/store/db.ts'
import { openSqliteFile } from '@sallyport/proxy/store/sqlite.ts'

export interface AuditWrites {
  /** Events per second, the median over the rounds. */
  perSecond: number
  rawPerSecond: number
  /** perSecond / rawPerSecond */
  ratio: number
  /** Milliseconds from emit to acknowledgement. */
  p50: number
  p99: number
}

export interface AuditWritesOptions {
  events?: number
  /** Emitters at a time; the raw inserts come in batches of the same size. */
  concurrency?: number
  rounds?: number
}

const fields = {
  user: 'alice',
  sid: randomUUID(),
  login: 'root',
  size: '80:25',
  namespace: 'default',
  server_id: randomUUID(),
  server_hostname: 'web-1',
  server_labels: { env: 'prod', team: 'core' },
  'addr.remote': '127.0.0.1:44444',
  proto: 'ssh',
}

/** Ours and raw take turns, so that both see the same machine. The store, in a file when it is SQLite, is left with what was written. */
export async function measureAuditWrites(
  store: Store,
  { events = 20_000, concurrency = 100, rounds = 5 }: AuditWritesOptions = {},
): Promise<AuditWrites> {
  await using audit = createAuditLog({ store: store.audit, clusterName: 'bench', clock: systemClock })
  using raw = await rawWriter(store.audit)
  const waits: number[] = []
  const emitter = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const start = performance.now()
      await audit.emit('T2002I', fields)
      waits.push(performance.now() - start)
    }
  }
  const ours = () => Promise.all(Array.from({ length: concurrency }, () => emitter(events / concurrency)))
  const plain = async () => {
    for (let written = 0; written < events; written += concurrency) await raw.write(Array.from({ length: concurrency }, rawRow))
  }
  await ours()
  await plain()
  waits.length = 0
  const rates: number[] = []
  const rawRates: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    rates.push((events / (await timed(ours))) * 1000)
    rawRates.push((events / (await timed(plain))) * 1000)
  }
  waits.sort((a, b) => a - b)
  const at = (share: number): number => waits[Math.floor(waits.length * share)] ?? 0
  const [perSecond, rawPerSecond] = [median(rates), median(rawRates)]
  return { perSecond, rawPerSecond, ratio: perSecond / rawPerSecond, p50: at(0.5), p99: at(0.99) }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

type RawRow = readonly [time: number, type: string, code: string, uid: string, user: string, sid: string, doc: string]
function rawRow(): RawRow {
  const [time, uid] = [Date.now(), randomUUID()]
  const event = { ei: 0, ...fields, event: 'resize', code: 'T2002I', uid, time: new Date(time).toISOString(), cluster_name: 'bench' }
  return [time, event.event, event.code, uid, fields.user, fields.sid, JSON.stringify(event)]
}

interface RawWriter extends Disposable {
  /** Resolves when the rows are on the disk. */
  write(rows: readonly RawRow[]): Promise<void>
}

/** The audit table without its chain, filled in transactions of one batch, each of them durable when it ends. */
async function rawWriter(store: AuditStore): Promise<RawWriter> {
  const key = store.dialect === 'sqlite' ? 'integer primary key' : 'bigserial primary key'
  const create = `create table if not exists raw_events (seq ${key}, time bigint, type text, code text, uid text, "user" text, sid text, doc text);
    create index if not exists raw_time on raw_events (time, seq); create index if not exists raw_type on raw_events (type, time, seq)`
  const columns = 'time, type, code, uid, "user", sid, doc'
  if (store.dialect === 'sqlite') {
    // A file of its own: the audit log flushes its connection's commits itself, so that on this one they would not be durable.
    const file = store.connection.location()
    if (file === null) throw new Error('A store in memory has no disk to compare with: open it in a file.')
    const connection = openSqliteFile(`${file}-raw`)
    connection.exec(create)
    const insert = connection.prepare(`insert into raw_events (${columns}) values (?, ?, ?, ?, ?, ?, ?)`)
    return {
      write: async (rows) => {
        connection.exec('begin')
        for (const row of rows) insert.run(...row)
        connection.exec('commit')
      },
      [Symbol.dispose]: () => connection.close(),
    }
  }
  const { pool } = store
  await pool.query(create)
  const types = ['bigint', 'text', 'text', 'text', 'text', 'text', 'text']
  const text = `insert into raw_events (${columns}) select * from unnest(${types.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})`
  return {
    write: async (rows) => {
      await pool.query({ name: 'raw-insert', text, values: types.map((_, index) => rows.map((row) => row[index])) })
    },
    [Symbol.dispose]: () => undefined,
  }
}

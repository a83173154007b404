/** Writes linked rows durably, batch by batch. */
import type pg from 'pg'
import { z } from 'zod'
import type { AuditStore } from '../../store/db.ts'
import { headRow, linkRows } from './chain.ts'
import type { AuditRow, Writer } from './chain.ts'
import { sqliteWriter } from './sqlite-writer.ts'

export const createWriter = (store: AuditStore): Writer =>
  store.dialect === 'sqlite'
    ? sqliteWriter(store.connection)
    : { atOnce: 1, write: postgresWriter(store.pool), close: async () => undefined }

/** Opens the transaction and takes the turn of one proxy among several: the lock on the chain's last row. */
const beginText = 'begin; select seq, hash from audit_head where id = 1 for update'
const resultsOfBegin = z.tuple([z.unknown(), z.object({ rows: z.tuple([headRow]) })])

const columns = [
  'seq',
  'time',
  'type',
  'code',
  'uid',
  'user',
  'sid',
  'doc',
  'prev_hash',
  'hash',
] as const satisfies readonly (keyof AuditRow)[]
const arrays = columns.map((name, index) => `$${index + 1}::${name === 'seq' || name === 'time' ? 'bigint' : 'text'}[]`)
const addText = `with added as (
    insert into audit_events (${columns.map((name) => `"${name}"`).join(', ')}) select * from unnest(${arrays.join(', ')})
  ) update audit_head set seq = $${columns.length + 1}, hash = $${columns.length + 2} where id = 1`

function postgresWriter(pool: pg.Pool): Writer['write'] {
  return async (entries) => {
    const client = await pool.connect()
    let failure: Error | undefined
    try {
      const begun: unknown = await client.query(beginText)
      const [
        ,
        {
          rows: [head],
        },
      ] = resultsOfBegin.parse(begun)
      const rows = linkRows(head, entries)
      const last = rows.at(-1) ?? head
      await client.query({
        name: 'audit-add',
        text: addText,
        values: [...columns.map((name) => rows.map((row) => row[name])), last.seq, last.hash],
      })
      await client.query('commit')
    } catch (error) {
      failure = error instanceof Error ? error : new Error(String(error))
      throw failure
    } finally {
      // After a failure the connection is given up, and its transaction with it.
      client.release(failure)
    }
  }
}

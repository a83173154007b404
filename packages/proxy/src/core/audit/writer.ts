/** Writes linked rows durably, one batch after the other. */
import type { DatabaseSync } from 'node:sqlite'
import type pg from 'pg'
import { z } from 'zod'
import type { AuditStore } from '../../store/db.ts'
import { linkRows } from './chain.ts'
import type { AuditEntry, AuditRow } from './chain.ts'

/** Returns when all entries are on disk; throws when none is. */
export type WriteBatch = (entries: readonly AuditEntry[]) => Promise<void>

const headRow = z.object({ seq: z.number(), hash: z.string() })

export const createWriter = (store: AuditStore): WriteBatch =>
  store.dialect === 'sqlite' ? sqliteWriter(store.connection) : postgresWriter(store.pool)

function sqliteWriter(connection: DatabaseSync): WriteBatch {
  const begin = connection.prepare('begin immediate')
  const readHead = connection.prepare('select seq, hash from audit_head where id = 1')
  const insert = connection.prepare(
    'insert into audit_events (seq, time, type, code, uid, user, sid, doc, prev_hash, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const writeHead = connection.prepare('update audit_head set seq = ?, hash = ? where id = 1')
  const commit = connection.prepare('commit')
  const write = (entries: readonly AuditEntry[]): void => {
    begin.run()
    try {
      const rows = linkRows(headRow.parse(readHead.get()), entries)
      for (const row of rows)
        insert.run(row.seq, row.time, row.type, row.code, row.uid, row.user, row.sid, row.doc, row.prev_hash, row.hash)
      const last = rows.at(-1)
      if (last) writeHead.run(last.seq, last.hash)
      commit.run()
    } catch (error) {
      // Some failures, a full disk among them, have rolled back already.
      if (connection.isTransaction) connection.exec('rollback')
      throw error
    }
  }
  return (entries) => new Promise((resolve) => resolve(write(entries)))
}

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

function postgresWriter(pool: pg.Pool): WriteBatch {
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

/**
 * The audit chain in SQLite. A commit only writes to its write-ahead log; what makes it durable, the flush of that file, is
 * asked for beside the event loop. So a disk that takes its time holds up who waits for the event, and nobody else.
 */
import { close, fdatasync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { z } from 'zod'
import { headRow, linkRows } from './chain.ts'
import type { AuditEntry, Writer } from './chain.ts'

/** Flushes under way. More than one, so that who comes during one need not wait for its end; fewer than the threads of Node that see to them. */
const flushesAtOnce = 3
/** Pages in the log from which SQLite moves them to the table. It stops everything for that, so it is to be rare. */
const checkpointPages = 4000

/** `flush`: resolves when what was written to the file is on the disk. */
export function sqliteWriter(connection: DatabaseSync, flush: (file: number) => Promise<void> = promisify(fdatasync)): Writer {
  const write = inOneTransaction(connection)
  const file = connection.location()
  const { journal_mode: mode } = z.object({ journal_mode: z.string() }).parse(connection.prepare('pragma journal_mode').get())
  // In memory, or on a file system that knows no write-ahead log: there a commit is all.
  if (file === null || mode !== 'wal') return { atOnce: 1, write: async (entries) => write(entries), close: async () => undefined }

  connection.exec(`pragma synchronous = normal; pragma wal_autocheckpoint = ${checkpointPages}`)
  // The file stays the same one for as long as the connection is open.
  const log = openSync(`${file}-wal`, 'r+')
  const checkpoint = connection.prepare('pragma wal_checkpoint(truncate)')
  let isDoubtful = false
  /** What a system could not flush it may forget, and say nothing the next time: nothing may count on a log with that in it. */
  const empty = (): void => {
    isDoubtful = true
    if (checkpointed.parse(checkpoint.get()).busy !== 0) throw new Error('the log could not be flushed, and somebody reads from it')
    isDoubtful = false
  }
  return {
    atOnce: flushesAtOnce,
    async write(entries) {
      if (isDoubtful) empty()
      write(entries)
      await flush(log).catch(empty)
    },
    close: () => promisify(close)(log),
  }
}

const checkpointed = z.object({ busy: z.number() })

/** Linked to what was there. Throws when nothing was written. */
function inOneTransaction(connection: DatabaseSync): (entries: readonly AuditEntry[]) => void {
  const begin = connection.prepare('begin immediate')
  const readHead = connection.prepare('select seq, hash from audit_head where id = 1')
  const insert = connection.prepare(
    'insert into audit_events (seq, time, type, code, uid, user, sid, doc, prev_hash, hash) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const writeHead = connection.prepare('update audit_head set seq = ?, hash = ? where id = 1')
  const commit = connection.prepare('commit')
  return (entries) => {
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
}

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import type { AuditEntry } from './chain.ts'
import { sqliteWriter } from './sqlite-writer.ts'
import { verifyChain } from './verify.ts'

const entry = (uid: string): AuditEntry => ({ time: 1, type: 'resize', code: 'T2002I', uid, user: 'alice', sid: 's', doc: '{}' })

async function open(flush: (file: number) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-writer-'))
  const store = await openStore({ kind: 'sqlite', file: join(folder, 'store.db') })
  if (store.audit.dialect !== 'sqlite') throw new Error('it is another store')
  const { connection, db } = store.audit
  connection.exec('pragma busy_timeout = 0')
  const writer = sqliteWriter(connection, flush)
  onTestFinished(async () => {
    await writer.close()
    await store[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  const file = String(connection.location())
  return { writer, db, file, logSize: async () => (await stat(`${file}-wal`)).size }
}

test('a write is over when its flush is, and others may begin meanwhile', async () => {
  const flushes: PromiseWithResolvers<void>[] = []
  const { writer, db } = await open(() => {
    const flush = Promise.withResolvers<void>()
    flushes.push(flush)
    return flush.promise
  })
  const over: string[] = []
  const first = writer.write([entry('first')]).then(() => over.push('first'))
  const second = writer.write([entry('second')]).then(() => over.push('second'))
  expect(flushes).toHaveLength(2)
  flushes[1]?.resolve()
  await second
  expect(over).toEqual(['second'])
  flushes[0]?.resolve()
  await first
  expect(await verifyChain(db)).toEqual({ ok: true, events: 2 })
})

test('what cannot be flushed is moved to where it can be; where that fails as well it is refused, and so is all that follows until it works', async () => {
  let fails = true
  const { writer, db, file, logSize } = await open(async () => {
    if (fails) throw new Error('a bad disk')
  })
  await writer.write([entry('moved')])
  expect(await logSize()).toBe(0)
  const reader = new DatabaseSync(file)
  onTestFinished(() => reader.close())
  reader.exec('begin; select * from audit_head')
  await expect(writer.write([entry('refused')])).rejects.toThrow('the log could not be flushed')
  fails = false
  await expect(writer.write([entry('refused as well')])).rejects.toThrow('the log could not be flushed')
  reader.exec('commit')
  await writer.write([entry('again')])
  const kept = await db.selectFrom('audit_events').select('uid').orderBy('seq').execute()
  expect(kept.map(({ uid }) => uid)).toEqual(['moved', 'refused', 'again'])
  expect(await verifyChain(db)).toEqual({ ok: true, events: 3 })
})

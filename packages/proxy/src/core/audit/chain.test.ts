import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openStore } from '../../store/db.ts'
import { createAuditLog } from './audit-log.ts'

const length = 12
const textColumns = ['type', 'code', 'uid', 'user', 'sid', 'doc', 'prev_hash', 'hash'] as const

test('every flipped, deleted, inserted, moved or swapped row is found', { timeout: 60_000 }, async () => {
  await using store = await openStore({ kind: 'sqlite', file: ':memory:' })
  if (store.audit.dialect !== 'sqlite') return expect.fail()
  const { connection } = store.audit
  await using audit = createAuditLog({ store: store.audit, clusterName: 'root', clock: { now: () => 1_790_000_000_000 } })
  for (let index = 0; index < length; index += 1) await audit.emit('T2001I', { user: `u${index}`, sid: `s${index}` })

  const seq = fc.integer({ min: 1, max: length })
  const two = fc.uniqueArray(seq, { minLength: 2, maxLength: 2 })
  const mutation = fc.oneof(
    fc
      .tuple(seq, fc.constantFrom(...textColumns), fc.nat())
      .map(([row, column, at]) => `update audit_events set ${column} = ${flipAt(column, at)} where seq = ${row}`),
    fc.tuple(seq, fc.integer({ min: 1, max: 1e9 })).map(([row, by]) => `update audit_events set time = time + ${by} where seq = ${row}`),
    seq.map((row) => `delete from audit_events where seq = ${row}`),
    seq.map((row) => `delete from audit_events where seq >= ${row}`),
    fc
      .tuple(seq, fc.integer({ min: 0, max: 3 }))
      .map(
        ([row, more]) =>
          `insert into audit_events select ${length} + 1 + ${more}, time, type, code, uid, user, sid, doc, prev_hash, hash from audit_events where seq = ${row}`,
      ),
    seq.map((row) => `update audit_events set seq = -seq where seq = ${row}`),
    two.map(
      ([a = 1, b = 2]) =>
        `update audit_events set seq = 1000 where seq = ${a}; update audit_events set seq = ${a} where seq = ${b}; update audit_events set seq = ${b} where seq = 1000`,
    ),
    two.map(
      ([a = 1, b = 2]) =>
        `create temp table d as select seq, doc from audit_events; update audit_events set doc = (select doc from d where d.seq = ${b}) where seq = ${a}; update audit_events set doc = (select doc from d where d.seq = ${a}) where seq = ${b}`,
    ),
    fc.constantFrom(
      'update audit_head set seq = seq - 1',
      'update audit_head set seq = seq + 1',
      "update audit_head set hash = '0'",
      'delete from audit_head',
    ),
  )
  await fc.assert(
    fc.asyncProperty(mutation, async (statement) => {
      connection.exec('begin')
      try {
        connection.exec(statement)
        expect(await audit.verify()).toMatchObject({ ok: false, firstBroken: { reason: expect.stringMatching(/./) } })
      } finally {
        connection.exec('rollback')
      }
    }),
    { numRuns: 2000 },
  )
  await expect(audit.verify()).resolves.toEqual({ ok: true, events: length })
})

/** SQL for a column's text with one character replaced by another; empty text gets one. */
function flipAt(column: string, at: number): string {
  const place = `(${at} % max(length(${column}), 1)) + 1`
  return `substr(${column}, 1, ${place} - 1) || char((unicode(substr(${column} || ' ', ${place}, 1)) + 1) % 120 + 5) || substr(${column}, ${place} + 1)`
}

test('the place and the reason are named', async () => {
  await using store = await openStore({ kind: 'sqlite', file: ':memory:' })
  if (store.audit.dialect !== 'sqlite') return expect.fail()
  await using audit = createAuditLog({ store: store.audit, clusterName: 'root', clock: { now: () => 0 } })
  const emitted = []
  for (const user of ['a', 'b', 'c']) emitted.push(await audit.emit('T1000I', { user }))
  store.audit.connection.exec('update audit_events set doc = replace(doc, \'"b"\', \'"x"\') where seq = 2')
  await expect(audit.verify()).resolves.toEqual({
    ok: false,
    events: 1,
    firstBroken: { seq: 2, uid: emitted[1]?.uid, reason: 'its content was changed' },
  })
  store.audit.connection.exec('delete from audit_events where seq = 2')
  await expect(audit.verify()).resolves.toMatchObject({ firstBroken: { seq: 3, reason: 'events 2 to 2 are missing' } })
})

/** Walks the whole chain and says where it is broken. */
import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { AuditDatabase } from '../../store/db.ts'
import type { Audit } from './audit.ts'
import { emptyHash, whyNotNext } from './chain.ts'

type Verdict = Awaited<ReturnType<Audit['verify']>>

const chunk = 1000

export async function verifyChain(db: Kysely<AuditDatabase>): Promise<Verdict> {
  // One statement, hence one moment: events written meanwhile are left for the next time.
  const start = await db
    .selectFrom('audit_head')
    .select(['seq', 'hash', sql<number>`(select coalesce(max(seq), 0) from audit_events)`.as('last')])
    .where('id', '=', 1)
    .executeTakeFirst()
  let last = { seq: 0, hash: emptyHash, uid: '' }
  const broken = (seq: number, uid: string, reason: string): Verdict => ({ ok: false, events: last.seq, firstBroken: { seq, uid, reason } })
  if (!start) return broken(0, '', 'the record of where the chain ends is missing')
  const end = Math.max(start.seq, start.last)
  for (let from = Number.MIN_SAFE_INTEGER; ; from = last.seq) {
    const rows = await db
      .selectFrom('audit_events')
      .selectAll()
      .where('seq', '>', from)
      .where('seq', '<=', end)
      .orderBy('seq')
      .limit(chunk)
      .execute()
    for (const row of rows) {
      const reason = whyNotNext(last, row)
      if (reason !== undefined) return broken(row.seq, row.uid, reason)
      last = row
    }
    if (rows.length < chunk) break
    // Requests go between chunks.
    await new Promise((resolve) => setImmediate(resolve))
  }
  if (last.seq < start.seq) return broken(last.seq + 1, '', `events ${last.seq + 1} to ${start.seq} are missing`)
  if (last.seq > start.seq || last.hash !== start.hash)
    return broken(last.seq, last.uid, 'the chain does not end where it was last written')
  return { ok: true, events: last.seq }
}

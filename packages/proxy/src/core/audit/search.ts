/** Pages of audit events by time, newest or oldest first. */
import { auditEventWire } from '@sallyport/wire/audit/event.ts'
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { sql } from 'kysely'
import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { AuditDatabase } from '../../store/db.ts'
import type { AuditPage, AuditQuery } from './audit.ts'
import { decodeCursor, encodeCursor } from './cursor.ts'

/** Rows looked at per answer: a condition that few events meet gives a short page with a key to go on. */
const scanLimit = 20_000
const chunk = 1000

interface Place {
  time: number
  seq: number
}
interface FoundRow extends Place {
  uid: string
  doc: string
}

export async function searchEvents(db: Kysely<AuditDatabase>, query: AuditQuery): Promise<AuditPage> {
  if (query.types?.length === 0) return { events: [], startKey: '' }
  let after = await placeOf(db, query)
  const events: AuditEventWire[] = []
  // The whole page in one go when nothing is filtered; one row more tells whether there is another page.
  const step = query.accepts ? Math.min(chunk, query.limit + 1) : query.limit + 1
  for (let scanned = 0; ;) {
    const rows = await readRows(db, query, after, step)
    for (const [index, row] of rows.entries()) {
      const event = auditEventWire.parse(JSON.parse(row.doc))
      if (query.accepts && !query.accepts(event)) continue
      events.push(event)
      const more = index + 1 < rows.length || rows.length === step
      if (events.length === query.limit) return { events, startKey: more ? keyOf(row) : '' }
    }
    const last = rows.at(-1)
    if (!last || rows.length < step) return { events, startKey: '' }
    scanned += rows.length
    if (scanned >= scanLimit) return { events, startKey: keyOf(last) }
    after = last
  }
}

const keyOf = ({ time, uid }: FoundRow): string => encodeCursor({ t: time, uid })

async function placeOf(db: Kysely<AuditDatabase>, { startKey, order }: AuditQuery): Promise<Place | undefined> {
  const cursor = decodeCursor(startKey)
  if (!cursor) return undefined
  const row = await db
    .selectFrom('audit_events')
    .select('seq')
    .where('time', '=', cursor.t)
    .where('uid', '=', cursor.uid)
    .executeTakeFirst()
  // Without that event (it was never here) the page goes on beside its time.
  return { time: cursor.t, seq: row?.seq ?? (order === 'asc' ? 0 : Number.MAX_SAFE_INTEGER) }
}

function readRows(
  db: Kysely<AuditDatabase>,
  { from, to, types, order }: AuditQuery,
  after: Place | undefined,
  limit: number,
): Promise<FoundRow[]> {
  let select: SelectQueryBuilder<AuditDatabase, 'audit_events', FoundRow> = db
    .selectFrom('audit_events')
    .select(['time', 'seq', 'uid', 'doc'])
    .where('time', '>=', from.getTime())
    .where('time', '<=', to.getTime())
  if (types) select = select.where('type', 'in', types)
  if (after) select = select.where(sql<boolean>`(time, seq) ${sql.raw(order === 'asc' ? '>' : '<')} (${after.time}, ${after.seq})`)
  return select.orderBy('time', order).orderBy('seq', order).limit(limit).execute()
}

/**
 * App sessions at rest, so that they outlive a restart and count on every proxy. One is bound to the sign-in that it was made
 * with and to one host name.
 */
import { timingSafeEqual } from 'node:crypto'
import type { ExpressionBuilder, Kysely, Selectable } from 'kysely'
import type { AssumedRequest } from '../../core/access/assumed.ts'
import { noRequests, requestsOf, textOfRequests } from '../../core/identity/assumed-text.ts'
import { hashOf, randomHex } from '../../core/identity/secrets.ts'
import type { Clock } from '../../core/clock.ts'
import type { Database } from '../../store/db.ts'
import type { AppSessionsTable } from '../../store/schema/app-sessions.ts'

export interface AppSession {
  /** Of what the browser shows; the key under which it is kept. */
  readonly hash: string
  readonly subjectHash: string
  readonly sid: string
  readonly user: string
  readonly loginId: string
  /** What its web session had assumed when it was begun. */
  readonly assumed: readonly AssumedRequest[]
  /** Id of the application. */
  readonly app: string
  /** The only host name on which it counts. */
  readonly host: string
  /** Epoch milliseconds. */
  readonly expires: number
}

export interface AppSessionStore {
  create(session: Omit<AppSession, 'hash' | 'subjectHash'>): Promise<{ session: AppSession; value: string; subject: string }>
  find(hash: string): Promise<AppSession | undefined>
  /** Whether it was there. */
  remove(hash: string): Promise<boolean>
  /** Which of these are no more, or have lost the sign-in, or the assumed access, that they live on. */
  gone(hashes: readonly string[]): Promise<string[]>
  /** Removes those that are over, and tells which. */
  sweep(): Promise<AppSession[]>
}

const idBytes = 32
export const isSessionValue = (value: string | undefined): value is string => value !== undefined && /^[0-9a-f]{64}$/.test(value)

/** Whether a value is the one whose hash is given, in a time that tells nothing. */
export const isSame = (value: string, hash: string): boolean => timingSafeEqual(Buffer.from(hashOf(value)), Buffer.from(hash))

export function createAppSessionStore({ db, clock }: { db: Kysely<Database>; clock: Clock }): AppSessionStore {
  /** Whether its sign-in goes on, and holds what it held when the session was begun. */
  const isHeld = (row: ExpressionBuilder<Database, 'app_sessions'>) =>
    row.exists(
      row
        .selectFrom('web_sessions')
        .select('web_sessions.hash')
        .whereRef('web_sessions.login_id', '=', 'app_sessions.login_id')
        .where('web_sessions.expires', '>', clock.now())
        .where(({ eb, or, ref }) =>
          or([eb('app_sessions.assumed', '=', noRequests), eb('web_sessions.assumed', '=', ref('app_sessions.assumed'))]),
        ),
    )
  const alive = () => db.selectFrom('app_sessions').where('expires', '>', clock.now()).where(isHeld)
  return {
    async create(given) {
      const [value, subject] = [randomHex(idBytes), randomHex(idBytes)]
      const session = { ...given, hash: hashOf(value), subjectHash: hashOf(subject) }
      await db.insertInto('app_sessions').values(rowOf(session)).execute()
      return { session, value, subject }
    },
    async find(hash) {
      const row = await alive().selectAll().where('hash', '=', hash).executeTakeFirst()
      return row && sessionOf(row)
    },
    async remove(hash) {
      return (await db.deleteFrom('app_sessions').where('hash', '=', hash).returning('hash').execute()).length > 0
    },
    async gone(hashes) {
      const rows = await alive().select('hash').where('hash', 'in', hashes).execute()
      const left = new Set(rows.map(({ hash }) => hash))
      return hashes.filter((hash) => !left.has(hash))
    },
    async sweep() {
      const over = db.deleteFrom('app_sessions').where((row) => row.or([row('expires', '<=', clock.now()), row.not(isHeld(row))]))
      return (await over.returningAll().execute()).map(sessionOf)
    },
  }
}

const rowOf = ({ hash, subjectHash, sid, user, loginId, assumed, app, host, expires }: AppSession): Selectable<AppSessionsTable> => ({
  hash,
  subject_hash: subjectHash,
  sid,
  user,
  login_id: loginId,
  assumed: textOfRequests(assumed),
  app,
  host,
  expires,
})

const sessionOf = ({ subject_hash: subjectHash, login_id: loginId, assumed, ...row }: Selectable<AppSessionsTable>): AppSession => ({
  ...row,
  subjectHash,
  loginId,
  assumed: requestsOf(assumed),
})

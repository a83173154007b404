/** The sign-ins of a user that are alive, and ending one of them from elsewhere. */
import type { Kysely } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import { notFound } from '../errors.ts'
import type { WebSessions } from './web-sessions.ts'

export interface SignInRecord {
  /** Shared by all sessions that were renewed from it. It opens nothing. */
  loginId: string
  ip: string
  userAgent: string
  /** Epoch milliseconds. */
  created: number
  renewed: number
  expires: number
}

export interface SignIns {
  /** The one renewed last comes first. */
  of(user: string): Promise<SignInRecord[]>
  /** Its sessions and bearers are gone, its live sockets close. Throws not found when the user has no such sign-in. */
  end(user: string, loginId: string): Promise<void>
}

export function createSignIns(db: Kysely<Database>, clock: Clock, sessions: Pick<WebSessions, 'end'>): SignIns {
  const alive = (user: string) => db.selectFrom('web_sessions').where('user', '=', user).where('expires', '>', clock.now())
  return {
    async of(user) {
      const rows = await alive(user).selectAll().execute()
      const bearers = await db.selectFrom('bearers').select(['login_id', 'created']).where('user', '=', user).execute()
      const found = new Map<string, SignInRecord>()
      for (const row of rows)
        found.set(row.login_id, {
          loginId: row.login_id,
          ip: row.login_ip,
          userAgent: row.user_agent,
          created: row.login_time,
          renewed: row.login_time,
          expires: Math.max(row.expires, found.get(row.login_id)?.expires ?? 0),
        })
      for (const { login_id: loginId, created } of bearers) {
        const record = found.get(loginId)
        if (record) record.renewed = Math.max(record.renewed, created)
      }
      return [...found.values()].toSorted((a, b) => b.renewed - a.renewed || b.created - a.created)
    },
    async end(user, loginId) {
      const own = await alive(user).select('login_id').where('login_id', '=', loginId).limit(1).executeTakeFirst()
      if (!own) throw notFound('there is no such sign-in any more')
      await sessions.end({ loginId })
    },
  }
}

/** PostgreSQL, as sessions open it. */
import { once } from 'node:events'
import { cancelRequest } from '@sallyport/protocols/postgres/frontend.ts'
import type { BackendKey } from '@sallyport/protocols/postgres/frontend.ts'
import type { DatabaseProtocol } from '../database-protocol.ts'
import { logIn } from './login.ts'
import type { LoggedIn } from './login.ts'
import { securePostgres } from './secure-stream.ts'

/** Wishes are settings of the session. */
export const postgresProtocol: DatabaseProtocol<Readonly<Record<string, string>>, LoggedIn, BackendKey> = {
  noWishes: {},
  userHint: (user) => `Check that the user "${user}" exists in the database, may log in, and that pg_hba.conf lets it in by certificate.`,
  async secure(stream, trust, { user, name, wishes }, signal) {
    const secured = await securePostgres(stream, trust, signal)
    return {
      stream: secured,
      logIn: () => logIn(secured, { ...wishes, user, ...(name !== undefined && { database: name }) }),
    }
  },
  async stop({ stream }, key) {
    const closed = once(stream, 'close')
    stream.end(cancelRequest(key))
    stream.resume()
    await closed
  },
}

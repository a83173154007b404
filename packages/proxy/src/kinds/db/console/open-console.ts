/** A session for the SQL console, on whatever the database speaks. */
import { clientAttributes } from '@sallyport/protocols/mysql/handshake.ts'
import { splitMysql } from '@sallyport/protocols/sql/split-mysql.ts'
import { splitStatements } from '@sallyport/protocols/sql/split-statements.ts'
import type { Statement } from '@sallyport/protocols/sql/split-statements.ts'
import type { OpenedProtocol } from '../../../core/databases/database.ts'
import { openDatabaseSession } from '../database-session.ts'
import type { DatabaseSession, DatabaseSessionDeps, Requester } from '../database-session.ts'
import type { DatabaseTarget } from '../database-target.ts'
import { mysqlProtocol } from '../mysql/mysql-protocol.ts'
import { MysqlStatements } from '../mysql/mysql-statements.ts'
import { postgresProtocol } from '../postgres/postgres-protocol.ts'
import { Statements } from '../postgres/statements.ts'
import type { ConsoleStatements, Remark } from './statements.ts'

export interface OpenConsole {
  session: DatabaseSession
  statements: ConsoleStatements
  split: (text: string) => Statement[]
  /** What the server is, with its version. */
  server: string
}

type Open = (
  deps: DatabaseSessionDeps,
  target: DatabaseTarget,
  requester: Requester,
  onNotice: (notice: Remark) => void,
) => Promise<OpenConsole>

const clientOf = ({ caller }: Requester): string => `sallyport: ${caller.username}`

const consoles = {
  async postgres(deps, target, requester, onNotice) {
    const wishes = { client_encoding: 'UTF8', application_name: clientOf(requester) }
    const session = await openDatabaseSession(deps, { protocol: postgresProtocol, wishes }, target, requester)
    const statements = new Statements(session.server, session.loggedIn.parameters, onNotice)
    const version = statements.serverVersion.split(' ', 1).join('')
    return { session, statements, split: splitStatements, server: `PostgreSQL ${version}` }
  },
  async mysql(deps, target, requester, onNotice) {
    const attributes = clientAttributes({ program_name: clientOf(requester) })
    const session = await openDatabaseSession(deps, { protocol: mysqlProtocol, wishes: { attributes } }, target, requester)
    const statements = new MysqlStatements(session.server, onNotice)
    return { session, statements, split: splitMysql, server: serverOf(session.loggedIn.greeting.version) }
  },
} satisfies Record<OpenedProtocol, Open>

/** MariaDB puts another number before its own, for clients that know nothing of it. */
const serverOf = (version: string): string => {
  const [number = ''] = version.replace(/^5\.5\.5-/, '').split('-')
  return `${/mariadb/i.test(version) ? 'MariaDB' : 'MySQL'} ${number}`
}

export const openConsole = (
  deps: DatabaseSessionDeps,
  target: DatabaseTarget,
  requester: Requester,
  onNotice: (notice: Remark) => void,
): Promise<OpenConsole> => consoles[target.protocol](deps, target, requester, onNotice)

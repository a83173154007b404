/** Connection tests and their outcomes: each can be read again for a day, by whoever asked for it. */
import { randomUUID } from 'node:crypto'
import { connectionDiagnosticWire } from '@sallyport/wire/entities/connection-diagnostic.ts'
import type { ConnectionDiagnosticWire, TraceType } from '@sallyport/wire/entities/connection-diagnostic.ts'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { diagnosticTtl } from '@sallyport/wire/limits.ts'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { notFound } from '../errors.ts'

/** One step of a test. Steps come in their order; the one that fails is the last. */
export interface Trace {
  traceType: TraceType
  status: 'SUCCESS' | 'FAILED'
  /** For the person who tests: what was found, or what to do. */
  details: string
  /** The cause in raw words; on failures only. */
  error?: string
}

export interface TestRequest {
  /** Of the outcome, and of the session that the test is. */
  id: string
  /** As the caller names the resource. */
  resource: string
  /** The login, where the kind has them. */
  principal: string
  /** Of a cluster: where, and as whom; empty for what roles say. */
  kubernetes: { namespace: string; user: string; groups: readonly string[] }
  /** Whom to be in a database, and in which of its names. */
  database: { user: string; name: string }
  proof: { code: string; assertion: Assertion | undefined }
  /** Milliseconds. */
  dialTimeout: number
  caller: Caller
  /** `ip:port`. */
  address: string
  signal: AbortSignal
}

/** Tries to get through to a resource of one kind. What keeps it from that is a failed step, not an error. */
export type ConnectionTester = (request: TestRequest) => Promise<Trace[]>

export interface Diagnostics {
  run(test: ConnectionTester, request: Omit<TestRequest, 'id'>): Promise<ConnectionDiagnosticWire>
  /** Throws not found. */
  read(id: string, by: string): Promise<ConnectionDiagnosticWire>
}

export function createDiagnostics({ db, clock }: { db: Kysely<Database>; clock: Clock }): Diagnostics {
  return {
    async run(test, request) {
      const id = randomUUID()
      const traces = await test({ ...request, id })
      const success = traces.every(({ status }) => status === 'SUCCESS')
      const diagnostic = { id, success, message: success ? 'success' : 'failed', traces }
      const now = clock.now()
      await db.deleteFrom('connection_diagnostics').where('expires', '<=', now).execute()
      await db
        .insertInto('connection_diagnostics')
        .values({ id, user: request.caller.username, document: JSON.stringify(diagnostic), expires: now + diagnosticTtl })
        .execute()
      return diagnostic
    },
    async read(id, by) {
      const row = await db.selectFrom('connection_diagnostics').selectAll().where('id', '=', id).where('user', '=', by).executeTakeFirst()
      if (!row || row.expires <= clock.now()) throw notFound(`connection diagnostic "${id}" is not found; run the test again`)
      return z.parse(connectionDiagnosticWire, JSON.parse(row.document))
    },
  }
}

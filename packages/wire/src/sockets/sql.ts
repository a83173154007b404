/**
 * The SQL console's socket, ours: text frames of JSON, each with a `type`. The address names the database, its user and the
 * name; a statement is run by text, its rows come in answer to what was asked for, and no more: who asks for none is sent
 * none, and the database waits.
 */
import * as z from 'zod/mini'
import { assertionWire } from '../entities/mfa.ts'

/** With `user` and `name` in the query. */
export const sqlSocketPath = '/v1/webapi/sites/{clusterId}/databases/{database}/sql'

/** Rows that one frame asks for, at most. */
export const sqlRowsLimit = 10_000
/** Characters of what is run at once. */
export const sqlTextLimit = 1024 * 1024

const rows = z.int().check(z.minimum(1), z.maximum(sqlRowsLimit))

export const sqlCommand = z.discriminatedUnion('type', [
  /** One statement or several, one after the other until one fails. `run` is told back with what comes of it. */
  z.object({ type: z.literal('run'), run: z.int(), text: z.string().check(z.maxLength(sqlTextLimit)), rows }),
  /** More rows of the statement that waits. */
  z.object({ type: z.literal('more'), rows }),
  /** Ends what runs, and what waits behind it. */
  z.object({ type: z.literal('cancel') }),
  z.object({ type: z.literal('proof'), assertion: assertionWire }),
])
export type SqlCommand = z.output<typeof sqlCommand>

const problem = z.object({
  severity: z.string(),
  code: z.string(),
  message: z.string(),
  detail: z._default(z.string(), ''),
  hint: z._default(z.string(), ''),
  /** In the text that was run, in characters from 0; absent when the database names no place. */
  at: z.optional(z.number()),
})
export type SqlProblem = z.output<typeof problem>

const column = z.object({ name: z.string(), type: z.string() })
export type SqlColumn = z.output<typeof column>
/** Values as the database writes them; null for NULL. */
export type SqlRow = (string | null)[]

export const sqlEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('challenge'), webauthn_challenge: z.unknown() }),
  /** The session has begun. `protocol`: what the database speaks, as its document names it. */
  z.object({ type: z.literal('open'), sid: z.string(), server: z.string(), protocol: z._default(z.string(), 'postgres') }),
  /** A statement begins: `index` of `count` in what was run. */
  z.object({ type: z.literal('statement'), run: z.int(), index: z.int(), count: z.int(), text: z.string() }),
  z.object({ type: z.literal('columns'), columns: z.array(column) }),
  z.object({ type: z.literal('rows'), rows: z.array(z.array(z.nullable(z.string()))) }),
  /** As many rows as were asked for have been sent, and there are more. */
  z.object({ type: z.literal('paused') }),
  z.object({ type: z.literal('done'), tag: z.string(), ms: z.number() }),
  z.object({ type: z.literal('failed'), problem, ms: z.number() }),
  z.object({ type: z.literal('notice'), problem }),
  /** All of a run is over. */
  z.object({ type: z.literal('ready'), run: z.int(), transaction: z.enum(['idle', 'open', 'failed']) }),
  /** The session is over, for this reason; the socket closes. */
  z.object({ type: z.literal('end'), text: z.string() }),
])
export type SqlEvent = z.output<typeof sqlEvent>

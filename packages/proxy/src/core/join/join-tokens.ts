/**
 * The store of join tokens. A token's name is its secret: it is looked up by its hash, and stands sealed in the document
 * beside it. Nothing is kept in memory, so a token that was removed, or used up, lets nobody in on any proxy.
 */
import { randomUUID } from 'node:crypto'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { Audit } from '../audit/audit.ts'
import type { MasterKey } from '../authorities/master-key.ts'
import type { Clock } from '../clock.ts'
import { accessDenied, alreadyExists, compareFailed, notFound } from '../errors.ts'
import { hashOf } from '../identity/secrets.ts'
import type { Log } from '../log.ts'
import { metadataSchema, parseResource } from '../resources/resources.ts'
import { joinTokenKind, safeNameOf } from './join-token.ts'
import type { JoinToken, JoinTokenInput } from './join-token.ts'

const sweepEvery = 60_000

export interface Redeemed {
  suggestedLabels: Record<string, string>
  roles: readonly string[]
  /** Which databases the agent may be the way to; absent for none. */
  matchers?: Readonly<Record<string, readonly string[]>>
}

export interface JoinTokens extends Disposable {
  /** Undefined when unknown, used up or expired. */
  get(name: string): Promise<JoinToken | undefined>
  /** Throws not found. */
  require(name: string): Promise<JoinToken>
  /** By name. */
  list(): Promise<JoinToken[]>
  /** Throws already exists, bad parameter. */
  create(input: JoinTokenInput, by: string): Promise<JoinToken>
  /** Creates one or replaces it; with `metadata.revision` it throws compare failed when somebody changed it since. Throws bad parameter. */
  put(input: JoinTokenInput, by: string): Promise<JoinToken>
  /** Throws not found. */
  remove(name: string, by: string): Promise<void>
  /**
   * Lets an agent in as `role` (`Node`), or as `Bot` the bot of that name, and uses a one-time token up: of several at once it lets one in. Every refusal is
   * the same access denied, whatever is wrong with the token; its `detail` has the reason, for whoever audits the attempt.
   */
  redeem(name: string, role: string, bot?: string): Promise<Redeemed>
  /** Removes a token, whatever comes of it, and tells whether it was one for `role`. False as well when it is unknown, used up or expired. */
  spend(name: string, role: string): Promise<boolean>
}

export interface JoinTokenDeps {
  db: Kysely<Database>
  masterKey: MasterKey
  audit: Pick<Audit, 'emit'>
  clock: Clock
  log: Pick<Log, 'warn'>
}

const refusal = 'the join token is not valid: it may be unknown, expired, used up, or made for something else; ask for a new one'
const storedDocument = z.object({ version: z.string(), metadata: metadataSchema, spec: z.unknown() })
const sealLabel = (hash: string): string => `join-token/${hash}`

export function createJoinTokens({ db, masterKey, audit, clock, log }: JoinTokenDeps): JoinTokens {
  const live = () =>
    db
      .selectFrom('join_tokens')
      .selectAll()
      .where((is) => is.or([is('expires', 'is', null), is('expires', '>', clock.now())]))

  function open({ hash, sealed, revision }: { hash: string; sealed: string; revision: string }): JoinToken {
    const { version, metadata, spec } = storedDocument.parse(JSON.parse(masterKey.open(sealed, sealLabel(hash)).toString('utf8')))
    const parsed = joinTokenKind.spec(version).safeParse(spec)
    if (!parsed.success) throw new Error('a stored join token cannot be read', { cause: parsed.error })
    return { kind: joinTokenKind.kind, version, metadata: { ...metadata, revision }, spec: parsed.data }
  }
  function rowOf({ version, metadata: { revision: _, ...metadata }, spec }: JoinToken) {
    const hash = hashOf(metadata.name)
    return {
      hash,
      sealed: masterKey.seal(Buffer.from(JSON.stringify({ version, metadata, spec })), sealLabel(hash)),
      revision: randomUUID(),
      expires: metadata.expires === null ? null : Date.parse(metadata.expires),
    }
  }
  async function get(name: string): Promise<JoinToken | undefined> {
    const row = await live().where('hash', '=', hashOf(name)).executeTakeFirst()
    return row && open(row)
  }
  async function require(name: string): Promise<JoinToken> {
    const token = await get(name)
    if (!token) throw notFound(joinTokenKind.missingText(name))
    return token
  }
  async function announce({ metadata, spec: { roles, join_method } }: JoinToken, by: string): Promise<void> {
    const expires = metadata.expires === null ? {} : { expires: metadata.expires }
    await audit.emit('TJT00I', { user: by, name: safeNameOf(metadata.name, join_method), roles, join_method, ...expires })
    if (roles.includes('Trusted_cluster')) await audit.emit('T7002I', { user: by })
  }
  async function sweep(): Promise<void> {
    await db.deleteFrom('join_tokens').where('expires', '<=', clock.now()).execute()
  }
  /** Why not, or the token; a one-time token is used up. */
  async function tryRedeem(name: string, role: string, bot: string | undefined): Promise<JoinToken | string> {
    const row = await live().where('hash', '=', hashOf(name)).executeTakeFirst()
    if (!row) return 'the token is unknown, used up or expired'
    const token = open(row)
    const { roles, join_method: method, usage_mode: mode, bot_name: botName } = token.spec
    if (method !== 'token') return `the token is for agents that join by ${method}`
    if (!roles.some((known) => known === role)) return `the token is not for the role ${role}`
    if (role === 'Bot' && botName !== bot) return 'the token is for another bot'
    if (mode !== 'single_use') return token
    const [used] = await db.deleteFrom('join_tokens').where('hash', '=', row.hash).where('revision', '=', row.revision).execute()
    return Number(used?.numDeletedRows ?? 0) === 1 ? token : 'the token was used by another agent at the same moment'
  }
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => log.warn({ err: error }, 'expired join tokens could not be removed; the next round tries again'))
  }, sweepEvery).unref()

  return {
    get,
    require,
    async list() {
      const tokens = (await live().execute()).map(open)
      return tokens.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    },
    async create(input, by) {
      const token = parseResource(joinTokenKind, input)
      const { hash, ...row } = rowOf(token)
      await sweep() // one that has expired makes room for its successor
      if (await get(token.metadata.name)) throw alreadyExists(joinTokenKind.existsText(token.metadata.name))
      await announce(token, by)
      const insert = db.insertInto('join_tokens').values({ hash, ...row })
      const [result] = await insert.onConflict((conflict) => conflict.column('hash').doNothing()).execute()
      if (!result?.numInsertedOrUpdatedRows) throw alreadyExists(joinTokenKind.existsText(token.metadata.name))
      return { ...token, metadata: { ...token.metadata, revision: row.revision } }
    },
    async put(input, by) {
      const token = parseResource(joinTokenKind, input)
      const { hash, ...row } = rowOf(token)
      const expected = token.metadata.revision
      const changedMeanwhile = () =>
        compareFailed('the token was changed, used up or removed meanwhile; read it again and repeat the change')
      if (expected !== '' && (await get(token.metadata.name))?.metadata.revision !== expected) throw changedMeanwhile()
      await announce(token, by)
      if (expected === '') {
        const insert = db.insertInto('join_tokens').values({ hash, ...row })
        await insert.onConflict((conflict) => conflict.column('hash').doUpdateSet(row)).execute()
      } else {
        const [result] = await db.updateTable('join_tokens').set(row).where('hash', '=', hash).where('revision', '=', expected).execute()
        if (!result?.numUpdatedRows) throw changedMeanwhile()
      }
      return { ...token, metadata: { ...token.metadata, revision: row.revision } }
    },
    async remove(name, by) {
      const { metadata, spec } = await require(name)
      await audit.emit('TJT01I', { user: by, name: safeNameOf(metadata.name, spec.join_method) })
      await db.deleteFrom('join_tokens').where('hash', '=', hashOf(name)).execute()
    },
    async redeem(name, role, bot) {
      const redeemed = await tryRedeem(name, role, bot)
      if (typeof redeemed === 'string') {
        throw accessDenied(refusal, { detail: redeemed })
      }
      const { suggested_labels: suggested = {}, suggested_agent_matcher_labels: matchers, roles } = redeemed.spec
      const suggestedLabels = Object.fromEntries(Object.entries(suggested).map(([label, values]) => [label, values.join(' ')]))
      return { suggestedLabels, roles, ...(matchers && roles.includes('Db') && { matchers }) }
    },
    async spend(name, role) {
      const row = await live().where('hash', '=', hashOf(name)).executeTakeFirst()
      if (!row) return false
      const [removed] = await db.deleteFrom('join_tokens').where('hash', '=', row.hash).execute()
      // Of several at once one has it.
      if (Number(removed?.numDeletedRows ?? 0) === 0) return false
      return open(row).spec.roles.some((known) => known === role)
    },
    [Symbol.dispose]: () => clearInterval(timer),
  }
}

/**
 * What is to be told and has been told, for all proxies on the store: a message is told by whoever claims it, and a claim that
 * its holder does not end lapses.
 */
import { randomUUID } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { PluginMessagesTable } from '../../store/schema/plugins.ts'
import type { Clock } from '../clock.ts'
import type { Addressee } from './audience.ts'
import type { Purpose, Stage } from './notice.ts'

export type Message = Omit<Selectable<PluginMessagesTable>, 'purpose'> & { purpose: Purpose }
type Key = Pick<Message, 'plugin' | 'request' | 'purpose' | 'recipient'>

/** Longer than a message takes with all of its limits. */
const claimFor = 120_000

export interface Outcome {
  told: Stage | ''
  handle: string
  settled: boolean
  attempts: number
  due: number
  error_code: number
  error: string
}

export interface Messages {
  /** Requests of which a plugin knows whom to tell. */
  planned(plugin: string): Promise<Set<string>>
  /** Once for each plugin and request, whoever comes first. */
  plan(plugin: string, request: string, addressees: readonly Addressee[]): Promise<void>
  /** About which something may be left to tell. */
  open(plugin: string): Promise<Message[]>
  /** False when somebody else has it, or has told more meanwhile. */
  claim(message: Message): Promise<boolean>
  /** Ends the claim. */
  finish(message: Message, outcome: Outcome): Promise<void>
  release(message: Message): Promise<void>
  /** Failures for this recipient that are past. */
  clearErrors(plugin: string, recipient?: string): Promise<void>
  /** The gravest failure of each plugin that has one. */
  errors(): Promise<Map<string, { code: number; text: string }>>
  forget(plugin: string): Promise<void>
  /** All of a request, when nothing of it is left to tell. */
  forgetSettled(plugin: string, request: string): Promise<void>
}

export function createMessages({ db, clock }: { db: Kysely<Database>; clock: Clock }): Messages {
  const claims = new Map<string, string>()
  const nameOf = ({ plugin, request, purpose, recipient }: Key): string => JSON.stringify([plugin, request, purpose, recipient])
  const blank = { told: '', handle: '', attempts: 0, due: 0, claim: '', claimed_until: 0, error_code: 0, error: '' }
  const change = ({ plugin, request, purpose, recipient }: Key) =>
    db
      .updateTable('plugin_messages')
      .where('plugin', '=', plugin)
      .where('request', '=', request)
      .where('purpose', '=', purpose)
      .where('recipient', '=', recipient)
  const claimOf = (message: Message): string => claims.get(nameOf(message)) ?? ''

  return {
    async planned(plugin) {
      const rows = await db
        .selectFrom('plugin_messages')
        .select('request')
        .where('plugin', '=', plugin)
        .where('purpose', '=', 'plan')
        .execute()
      return new Set(rows.map(({ request }) => request))
    },
    plan: (plugin, request, addressees) =>
      db.transaction().execute(async (transaction) => {
        const row = { ...blank, plugin, request }
        const [first] = await transaction
          .insertInto('plugin_messages')
          .values({ ...row, purpose: 'plan', recipient: '', personal: 0, settled: 1 })
          .onConflict((conflict) => conflict.columns(['plugin', 'request', 'purpose', 'recipient']).doNothing())
          .execute()
        if (!first?.numInsertedOrUpdatedRows || addressees.length === 0) return
        await transaction
          .insertInto('plugin_messages')
          .values(
            addressees.map(({ purpose, recipient, personal }) => ({ ...row, purpose, recipient, personal: Number(personal), settled: 0 })),
          )
          .execute()
      }),
    async open(plugin) {
      const now = clock.now()
      const rows = await db
        .selectFrom('plugin_messages')
        .selectAll()
        .where('settled', '=', 0)
        .where('plugin', '=', plugin)
        .where('due', '<=', now)
        .where('claimed_until', '<=', now)
        .orderBy('request')
        .orderBy('purpose')
        .orderBy('recipient')
        .execute()
      return rows.flatMap((row) => (row.purpose === 'plan' ? [] : [{ ...row, purpose: row.purpose }]))
    },
    async claim(message) {
      const claim = randomUUID()
      const now = clock.now()
      const [result] = await change(message)
        .set({ claim, claimed_until: now + claimFor })
        .where('settled', '=', 0)
        .where('told', '=', message.told)
        .where('claimed_until', '<=', now)
        .execute()
      if (!result?.numUpdatedRows) return false
      claims.set(nameOf(message), claim)
      return true
    },
    async finish(message, { settled, ...outcome }) {
      await change(message)
        .set({ ...outcome, settled: Number(settled), claim: '', claimed_until: 0 })
        .where('claim', '=', claimOf(message))
        .execute()
      claims.delete(nameOf(message))
    },
    async release(message) {
      await change(message).set({ claim: '', claimed_until: 0 }).where('claim', '=', claimOf(message)).execute()
      claims.delete(nameOf(message))
    },
    async clearErrors(plugin, recipient) {
      let update = db.updateTable('plugin_messages').set({ error_code: 0, error: '', attempts: 0, due: 0 }).where('plugin', '=', plugin)
      if (recipient !== undefined) update = update.where('recipient', '=', recipient)
      await update.where('error_code', '!=', 0).execute()
    },
    async errors() {
      const rows = await db.selectFrom('plugin_messages').select(['plugin', 'error_code', 'error']).where('error_code', '!=', 0).execute()
      const gravest = new Map<string, { code: number; text: string }>()
      for (const { plugin, error_code: code, error: text } of rows)
        if (gravityOf(code) > gravityOf(gravest.get(plugin)?.code ?? 0)) gravest.set(plugin, { code, text })
      return gravest
    },
    async forget(plugin) {
      await db.deleteFrom('plugin_messages').where('plugin', '=', plugin).execute()
    },
    async forgetSettled(plugin, request) {
      const left = await db
        .selectFrom('plugin_messages')
        .select('recipient')
        .where('plugin', '=', plugin)
        .where('request', '=', request)
        .where('settled', '=', 0)
        .executeTakeFirst()
      if (left) return
      await db.deleteFrom('plugin_messages').where('plugin', '=', plugin).where('request', '=', request).execute()
    },
  }
}

/** Unauthorized, not in the channel, anything else. */
const order = [2, 10, 3]
const gravityOf = (code: number): number => order.indexOf(code)

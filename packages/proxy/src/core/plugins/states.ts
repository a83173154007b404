/** How each plugin is, as the proxies on the store have last found it. */
import { pluginStatus } from '@sallyport/wire/entities/integration.ts'
import type { Kysely, Selectable } from 'kysely'
import type { Database } from '../../store/db.ts'
import type { PluginStatesTable } from '../../store/schema/plugins.ts'
import { backOff } from './back-off.ts'
import type { Clock } from '../clock.ts'
import type { DeliveryError } from './delivery-error.ts'

export type PluginState = Selectable<PluginStatesTable>

export interface PluginStates {
  all(): Promise<Map<string, PluginState>>
  /** Enrolled from now on, unless it was already. */
  begin(plugin: string): Promise<PluginState>
  /** Its settings have changed: whatever was found before means nothing. */
  renew(plugin: string): Promise<void>
  well(plugin: string): Promise<void>
  /** The service as a whole: it is left alone for a while. */
  failed(plugin: string, error: DeliveryError): Promise<void>
  /** For whoever wants to look now, of several; `before` is when somebody last did. */
  claimLook(plugin: string, before: number): Promise<boolean>
  forget(plugin: string): Promise<void>
}

export function createStates({ db, clock }: { db: Kysely<Database>; clock: Clock }): PluginStates {
  const read = (plugin: string) => db.selectFrom('plugin_states').selectAll().where('plugin', '=', plugin)
  const change = (plugin: string) => db.updateTable('plugin_states').where('plugin', '=', plugin)
  return {
    async all() {
      const rows = await db.selectFrom('plugin_states').selectAll().execute()
      return new Map(rows.map((row) => [row.plugin, row]))
    },
    async begin(plugin) {
      const known = await read(plugin).executeTakeFirst()
      if (known) return known
      await db
        .insertInto('plugin_states')
        .values({ plugin, since: clock.now(), status_code: pluginStatus.unknown, details: '', attempts: 0, due: 0, checked: 0 })
        .onConflict((conflict) => conflict.column('plugin').doNothing())
        .execute()
      return read(plugin).executeTakeFirstOrThrow()
    },
    async renew(plugin) {
      await change(plugin).set({ status_code: pluginStatus.unknown, details: '', attempts: 0, due: 0, checked: 0 }).execute()
    },
    async well(plugin) {
      await change(plugin).set({ status_code: pluginStatus.running, details: '', attempts: 0, due: 0 }).execute()
    },
    async failed(plugin, { status, message, retryAfter }) {
      const now = clock.now()
      const attempts = (await read(plugin).executeTakeFirst())?.attempts ?? 0
      const due = now + (retryAfter ?? backOff(attempts))
      // Being asked for patience is no fault.
      const found = retryAfter === undefined ? { status_code: status, details: message, attempts: attempts + 1 } : {}
      await change(plugin)
        .set({ ...found, due })
        .execute()
    },
    async claimLook(plugin, before) {
      const [result] = await change(plugin).set({ checked: clock.now() }).where('checked', '=', before).execute()
      return Boolean(result?.numUpdatedRows)
    },
    async forget(plugin) {
      await db.deleteFrom('plugin_states').where('plugin', '=', plugin).execute()
    },
  }
}

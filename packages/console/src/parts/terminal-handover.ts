/** Terminals that a screen asks the console to open in a window of its own. They travel in this browser's storage, not in the address: a link from elsewhere opens nothing by itself. */
import * as z from 'zod/mini'
import { routePath } from '@sallyport/wire/routes.ts'
import { formatSearch } from './search-string.ts'

const prefix = 'sallyport_console_open_'
/** Terminals that may be opened at once. */
export const handoverLimit = 50
/** What nobody has fetched after this time is forgotten (ms). */
const lasts = 60_000

const form = z.object({
  at: z.number(),
  targets: z
    .array(z.object({ clusterId: z.string(), serverId: z.string(), login: z.string() }))
    .check(z.minLength(1), z.maxLength(handoverLimit)),
})
export type HandedTerminal = z.output<typeof form>['targets'][number]

/** The address of a console that opens these. */
export function handOver(storage: Storage, clusterId: string, targets: readonly HandedTerminal[], now: number = Date.now()): string {
  const ticket = crypto.randomUUID()
  storage.setItem(prefix + ticket, JSON.stringify({ at: now, targets }))
  return routePath('console', { clusterId }) + formatSearch({ open: ticket })
}

/** What was handed over under this ticket; a second time there is nothing. */
export function takeOver(storage: Storage, ticket: string, now: number = Date.now()): readonly HandedTerminal[] {
  const key = prefix + ticket
  try {
    const parsed = form.safeParse(JSON.parse(storage.getItem(key) ?? 'null'))
    storage.removeItem(key)
    return parsed.success && now - parsed.data.at < lasts ? parsed.data.targets : []
  } catch {
    return [] // storage is forbidden, or what it holds is not ours
  }
}

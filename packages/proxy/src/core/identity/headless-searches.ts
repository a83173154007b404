/**
 * Commands that wait at one proxy, for browsers at another. Nothing is stored for a command by itself: its user looks for
 * it, which makes a row, and the proxy at which it waits tells there what it is. Decisions go through that row then, so that
 * of two at the same time one wins.
 */
import type { Kysely } from 'kysely'
import { headlessPatience, headlessTtl } from '@sallyport/wire/limits.ts'
import { z } from 'zod'
import type { Database } from '../../store/db.ts'
import type { Clock } from '../clock.ts'
import type { ChangeFeed } from '../resources/change-feed.ts'
import type { Client } from '../route.ts'
import type { DeviceRow } from './devices.ts'

const searchKind = 'headless_search'
const storedRequest = z.object({
  publicKey: z.base64(),
  requested: z.number(),
  client: z.object({ address: z.string(), ip: z.string(), userAgent: z.string() }),
})

/** What a command asks for. */
export interface HeadlessRequest {
  readonly id: string
  readonly user: string
  /** The line of the key that is to be certified. */
  readonly publicKey: Buffer
  readonly client: Client
}

export interface HeadlessView extends HeadlessRequest {
  readonly state: 'pending' | 'denied' | 'approved'
  /** Epoch milliseconds. */
  readonly requested: number
  readonly expires: number
}

/** A command that its user has found, wherever it waits. */
export interface FoundCommand {
  readonly request: HeadlessRequest
  /** Epoch milliseconds. */
  readonly requested: number
  readonly state: HeadlessView['state']
  /** Tells it once, however often it is found. Rejects when it cannot be told. */
  announce(tell: () => Promise<unknown>): Promise<void>
  /** Of two decisions at the same time one wins: false for the other. */
  claim(): Promise<boolean>
  /** What was decided; undefined: it is refused. */
  decide(device: DeviceRow | undefined): Promise<void>
}

/** What a proxy tells of a command that waits with it. */
export interface OfferedCommand {
  readonly request: HeadlessRequest
  readonly requested: number
  /** Called once the row counts. */
  onOffered(found: FoundCommand): void
  onDecided(device: DeviceRow | undefined): void
}

export interface HeadlessSearches {
  /** Undefined when no other proxy has told of it within the patience of a browser, or `signal` aborted. */
  look(user: string, id: string, signal: AbortSignal): Promise<FoundCommand | undefined>
  /** Answers whoever looks for it at another proxy, until it is disposed. */
  offer(command: OfferedCommand, onError: (error: unknown) => void): AsyncDisposable
}

export interface HeadlessSearchesDeps {
  db: Kysely<Database>
  feed: Pick<ChangeFeed, 'subscribe'>
  clock: Clock
}

export function createHeadlessSearches({ db, feed, clock }: HeadlessSearchesDeps): HeadlessSearches {
  const rowOf = (user: string, id: string) =>
    db.selectFrom('headless_searches').selectAll().where('user', '=', user).where('id', '=', id).executeTakeFirst()
  const update = (user: string, id: string) => db.updateTable('headless_searches').where('user', '=', user).where('id', '=', id)
  const remove = (user: string, id: string) => db.deleteFrom('headless_searches').where('user', '=', user).where('id', '=', id)

  async function found(user: string, id: string): Promise<FoundCommand | undefined> {
    const row = await rowOf(user, id)
    if (!row || row.request === null) return undefined
    const { publicKey, requested, client } = storedRequest.parse(JSON.parse(row.request))
    return {
      request: { id, user, publicKey: Buffer.from(publicKey, 'base64'), client },
      requested,
      state: row.state === 'approved' || row.state === 'denied' ? row.state : 'pending',
      async announce(tell) {
        const [result] = await update(user, id).set({ announced: 1 }).where('announced', '=', 0).execute()
        if (!result?.numUpdatedRows) return
        await tell().catch(async (error: unknown) => {
          await update(user, id).set({ announced: 0 }).execute()
          throw error
        })
      },
      async claim() {
        const [result] = await update(user, id).set({ state: 'deciding' }).where('state', '=', 'pending').execute()
        return (result?.numUpdatedRows ?? 0n) > 0n
      },
      async decide(device) {
        const outcome = device ? ({ state: 'approved', device: device.id } as const) : ({ state: 'denied' } as const)
        await update(user, id).set(outcome).where('state', '=', 'deciding').execute()
      },
    }
  }
  /** Calls `onChange` at once and whenever something is said about the id. */
  function follow(id: string, onChange: () => void): Disposable {
    const following = feed.subscribe(({ kind, name, operation }) => {
      if (kind === searchKind && name === id && operation === 'put') onChange()
    })
    onChange()
    return following
  }

  return {
    async look(user, id, signal) {
      const now = clock.now()
      await db.deleteFrom('headless_searches').where('expires', '<=', now).execute()
      await db
        .insertInto('headless_searches')
        .values({ user, id, state: 'sought', request: null, announced: 0, device: null, expires: now + headlessPatience + headlessTtl })
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      const { promise, resolve, reject } = Promise.withResolvers<FoundCommand | undefined>()
      const end = AbortSignal.any([signal, AbortSignal.timeout(headlessPatience)])
      end.addEventListener('abort', () => resolve(undefined), { once: true })
      if (end.aborted) resolve(undefined)
      using _following = follow(id, () => void found(user, id).then((command) => command && resolve(command), reject))
      const command = await promise
      if (!command) await remove(user, id).where('state', '=', 'sought').execute()
      return command
    },
    offer({ request, requested, onOffered, onDecided }, onError) {
      const { user, id } = request
      const stored = JSON.stringify({ publicKey: request.publicKey.toString('base64'), requested, client: request.client })
      let isClear = false
      let isOver = false
      async function answer(): Promise<void> {
        const row = await rowOf(user, id)
        if (!row || !isClear || isOver) return
        if (row.state === 'sought') {
          await update(user, id).set({ state: 'pending', request: stored }).where('state', '=', 'sought').execute()
          const command = await found(user, id)
          if (command) onOffered(command)
        } else if (row.state === 'denied') onDecided(undefined)
        else if (row.state === 'approved')
          onDecided(await db.selectFrom('mfa_devices').selectAll().where('id', '=', row.device).where('user', '=', user).executeTakeFirst())
      }
      // What is left of an earlier command with the same key is no decision about this one.
      async function clear(): Promise<void> {
        await remove(user, id).where('state', '<>', 'sought').execute()
        isClear = true
      }
      let answering = clear().catch(onError)
      const following = follow(id, () => void (answering = answering.then(answer).catch(onError)))
      return {
        async [Symbol.asyncDispose]() {
          isOver = true
          following[Symbol.dispose]()
          await answering
          // An approval stays for as long as the command could have waited, so that a second decision hears that there was one.
          await remove(user, id).where('state', '<>', 'approved').execute().catch(onError)
        },
      }
    },
  }
}

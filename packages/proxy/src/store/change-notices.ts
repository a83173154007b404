/** What is committed to a PostgreSQL database, by whomever, told by the database itself the moment it happens. */
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

export type StoreLog = Record<'debug' | 'info' | 'warn', (fields: object, text: string) => void>

/** Changes of documents and sign-ins, and rows of the inventory: many of one kind never delay the other. */
export type NoticeChannel = 'sallyport_changes' | 'sallyport_inventory'

const connectTimeout = 10_000
/** A connection that is silently gone is noticed after these two together. */
const pingEvery = 10_000
const queryTimeout = 5000
/** Between attempts to connect again; the last one repeats. */
const pauses = [100, 250, 500, 1000, 2000]

export interface NoticeHandlers {
  /** Once for each change, in the order of commits. */
  onNotice(payload: string): void
  /**
   * Whenever listening has begun, at first and again after a gap: what was committed before is told by nobody.
   * When it rejects, the connection is tried again.
   */
  onListening(): Promise<void>
}

interface Connection {
  client: pg.Client
  lost: Promise<void>
}

/** Listens until disposed, through whatever happens to the connection. Rejects when the first one cannot be made. */
export async function listenForNotices(
  url: string,
  channel: NoticeChannel,
  handlers: NoticeHandlers,
  log: StoreLog,
): Promise<AsyncDisposable> {
  const stopped = new AbortController()
  let current = await connect(url, channel, handlers)

  async function reconnect(): Promise<Connection | undefined> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        await delay(pauses[Math.min(attempt, pauses.length - 1)], undefined, { signal: stopped.signal })
        return await connect(url, channel, handlers)
      } catch (error) {
        if (stopped.signal.aborted) return undefined
        log.debug({ err: error }, 'changes of other proxies still cannot be followed')
      }
    }
  }
  async function keepListening(): Promise<void> {
    for (;;) {
      await current.lost
      await close(current.client)
      if (stopped.signal.aborted) return
      log.warn({}, 'changes of other proxies cannot be followed at the moment: the connection to the database is gone')
      const next = await reconnect()
      if (!next) return
      current = next
      if (stopped.signal.aborted) return close(next.client)
      log.info({}, 'changes of other proxies are followed again')
    }
  }
  const listening = keepListening()
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort()
      await close(current.client)
      await listening
    },
  }
}

async function connect(url: string, channel: NoticeChannel, handlers: NoticeHandlers): Promise<Connection> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: queryTimeout,
    keepAlive: true,
  })
  const { promise: lost, resolve: lose } = Promise.withResolvers<void>()
  client.on('error', () => lose())
  client.on('end', () => lose())
  client.on('notification', ({ payload }) => handlers.onNotice(payload ?? ''))
  try {
    await client.connect()
    await client.query(`listen ${channel}`)
    await handlers.onListening()
  } catch (error) {
    await close(client)
    throw error
  }
  const ping = setInterval(() => client.query('select 1').catch(() => lose()), pingEvery).unref()
  void lost.then(() => clearInterval(ping))
  return { client, lost }
}

/** Of a connection that is broken already, ending it fails. */
const close = (client: pg.Client): Promise<void> => client.end().catch(() => undefined)

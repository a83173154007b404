/** Brings what the store says of one kind here: all of it at first, then what other proxies on the same database hear. */
import type { Store } from '../../store/db.ts'
import type { Log } from '../log.ts'
import type { HeartbeatRow, HeartbeatRows } from './heartbeat-rows.ts'

export interface FollowDeps {
  rows: Pick<HeartbeatRows, 'all' | 'read'>
  /** Absent where nobody else writes to the store. */
  listen: Store['listen']
  log: Log
}

export interface FollowHandlers {
  /** What the store holds; there is nothing else. */
  onAll(rows: readonly HeartbeatRow[]): void
  /** What it holds of these; those that are missing are gone. */
  onChanged(ids: readonly string[], rows: readonly HeartbeatRow[]): void
}

/** Items that are read in one go; many more become known together when a crowd of agents connects. */
const atOnce = 1000
const retryAfter = 1000

/** Resolves when `onAll` was called and no later change is missed. */
export async function followHeartbeats({ rows, listen, log }: FollowDeps, { onAll, onChanged }: FollowHandlers): Promise<AsyncDisposable> {
  if (!listen) {
    onAll(await rows.all())
    return { [Symbol.asyncDispose]: () => Promise.resolve() }
  }
  const changed = new Set<string>()
  const stopped = new AbortController()
  /** One read at a time: what was read later is what counts. */
  let busy: Promise<void> = Promise.resolve()
  let isWaiting = false

  async function readChanged(): Promise<void> {
    isWaiting = false
    while (changed.size > 0 && !stopped.signal.aborted) {
      const ids = [...changed.values().take(atOnce)]
      for (const id of ids) changed.delete(id)
      try {
        onChanged(ids, await rows.read(ids))
      } catch (error) {
        for (const id of ids) changed.add(id)
        if (!stopped.signal.aborted) log.warn({ err: error }, 'heartbeats that other proxies tell of could not be read; trying again')
        setTimeout(wake, retryAfter).unref()
        return
      }
    }
  }
  function wake(): void {
    if (isWaiting) return
    isWaiting = true
    busy = busy.then(readChanged)
  }
  const handlers = {
    onNotice(payload: string): void {
      for (const id of payload.split(',')) changed.add(id)
      wake()
    },
    onListening(): Promise<void> {
      const loading = busy.then(async () => onAll(await rows.all()))
      busy = loading.catch(() => undefined) // whoever listens tries again
      return loading
    },
  }
  const listening = await listen('sallyport_inventory', handlers, log)
  return {
    async [Symbol.asyncDispose]() {
      stopped.abort()
      await listening[Symbol.asyncDispose]()
      await busy
    },
  }
}

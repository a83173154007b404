/** A recording whose session still runs: asks again and again what was written since. */
import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import { createStore, type Store } from '../../ui/store.ts'
import { readTimeline, type WholeTimeline } from './recording-timeline.ts'

export interface LiveHost {
  /** Events with an index of at least `after`. */
  events: (after: number, signal: AbortSignal) => Promise<readonly AuditEventWire[]>
  /** Resolves when it is time to ask again; rejects when the signal aborts. */
  pause: (signal: AbortSignal) => Promise<void>
  /** Whether asking again is of no use: the recording is gone, or may no longer be seen. */
  isFinal: (error: unknown) => boolean
}

export interface LiveState {
  /** Undefined until there is output. */
  timeline: WholeTimeline | undefined
  /** Why nothing new comes for now. */
  trouble?: string | undefined
}

export class LiveRecording {
  readonly state: Store<LiveState>
  readonly #host: LiveHost
  readonly #events: AuditEventWire[]
  #abort: AbortController | undefined

  constructor(events: readonly AuditEventWire[], host: LiveHost) {
    this.#events = [...events]
    this.#host = host
    this.state = createStore<LiveState>({ timeline: readTimeline(events, undefined) })
  }

  /** Follows the session until it has ended; what is returned stops that. */
  follow(): () => void {
    const abort = new AbortController()
    this.#abort?.abort()
    this.#abort = abort
    void this.#run(abort.signal)
    return () => abort.abort()
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#events.some(({ event }) => event === 'session.end')) {
      try {
        await this.#host.pause(signal)
        await this.#ask(signal)
      } catch (error) {
        if (signal.aborted) return
        const trouble = error instanceof Error ? error.message : String(error)
        this.state.set((now) => ({ ...now, trouble }))
        if (this.#host.isFinal(error)) return
      }
    }
  }

  async #ask(signal: AbortSignal): Promise<void> {
    const last = this.#events.at(-1)?.ei ?? -1
    // Whatever a proxy means by `after`: nothing is taken twice.
    const news = (await this.#host.events(last + 1, signal)).filter(({ ei }) => ei !== undefined && ei > last)
    if (signal.aborted) return
    this.#events.push(...news)
    if (news.length > 0) this.state.set({ timeline: readTimeline(this.#events, undefined) })
    else this.state.set((now) => (now.trouble === undefined ? now : { timeline: now.timeline }))
  }
}

import type { ActiveSessionWire } from '@sallyport/wire/entities/session-tracker.ts'

/** How long one answer serves all tabs that ask (ms). */
const answerLasts = 500

/** The sessions that run, asked for at most once in a while however many tabs want to know. */
export class RunningSessions {
  readonly #list: (clusterId: string) => Promise<readonly ActiveSessionWire[]>
  readonly #now: () => number
  #asked: { clusterId: string; at: number; sids: Promise<ReadonlySet<string>> } | undefined
  /** login@host of every session that was ever told of. */
  readonly #places = new Map<string, string>()

  constructor(list: (clusterId: string) => Promise<readonly ActiveSessionWire[]>, now: () => number = () => performance.now()) {
    this.#list = list
    this.#now = now
  }

  async has(clusterId: string, sid: string): Promise<boolean> {
    if (this.#asked?.clusterId !== clusterId || this.#now() - this.#asked.at > answerLasts)
      this.#asked = { clusterId, at: this.#now(), sids: this.#ask(clusterId) }
    return (await this.#asked.sids).has(sid)
  }

  /** Where a session is, if an answer has told it. */
  placeOf(sid: string): string | undefined {
    return this.#places.get(sid)
  }

  async #ask(clusterId: string): Promise<ReadonlySet<string>> {
    const sessions = await this.#list(clusterId)
    for (const { id, login, server_hostname: host } of sessions) if (login && host) this.#places.set(id, `${login}@${host}`)
    return new Set(sessions.map(({ id }) => id))
  }
}

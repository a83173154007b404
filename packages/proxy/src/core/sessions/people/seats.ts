/** Seats of a session: who holds the token of one may come back to it when their connection broke. */
import { randomBytes, timingSafeEqual } from 'node:crypto'

/** What somebody is told when they are let in. */
export interface Seat {
  readonly token: string
  /** Place in the session's output where theirs begins. */
  readonly offset: number
  /** How long the seat is kept after the connection broke, in milliseconds. */
  readonly keptFor: number
}

export interface Sitter {
  readonly id: string
  readonly user: string
  readonly webSession: string | undefined
}

const tokenBytes = 24

export class Seats {
  readonly #keptFor: number
  readonly #seats = new Map<string, { sitter: Sitter; token: Buffer; timer: NodeJS.Timeout | undefined }>()

  constructor(keptFor: number) {
    this.#keptFor = keptFor
  }

  take(sitter: Sitter, offset: number): Seat {
    const token = randomBytes(tokenBytes)
    this.#seats.set(sitter.id, { sitter, token, timer: undefined })
    return { token: token.toString('base64url'), offset, keptFor: this.#keptFor }
  }

  /** Whose seat a token opens; undefined unless the same person asks from the same web session. */
  find(token: string, user: string, webSession: string | undefined): string | undefined {
    const given = Buffer.from(token, 'base64url')
    for (const { sitter, token: known } of this.#seats.values())
      if (given.length === known.length && timingSafeEqual(given, known))
        return sitter.user === user && webSession !== undefined && sitter.webSession === webSession ? sitter.id : undefined
    return undefined
  }

  /** Keeps a seat for somebody whose connection broke. */
  keep(id: string): void {
    const seat = this.#seats.get(id)
    if (seat) seat.timer = setTimeout(() => this.#seats.delete(id), this.#keptFor).unref()
  }

  free(id: string): void {
    clearTimeout(this.#seats.get(id)?.timer)
    this.#seats.delete(id)
  }

  clear(): void {
    for (const id of [...this.#seats.keys()]) this.free(id)
  }
}

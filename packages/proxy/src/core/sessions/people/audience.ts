/** The people in a live session: what each of them is told, and how many there may be. */
import { accessDenied } from '../../errors.ts'
import type { Attendee, PartyEvent } from './party.ts'

export interface Party extends Attendee {
  readonly id: string
  /** Epoch milliseconds. */
  readonly joined: number
  lastActive: number
  stallTimer: NodeJS.Timeout | undefined
  presence: Disposable | undefined
  readonly onAbort: () => void
}

/** More would make one person's session a burden for everybody's proxy. */
export const audienceLimits = { guests: 100, windowsOfOnePerson: 20 } as const

export class Audience {
  readonly #owner: string
  readonly #parties = new Map<string, Party>()

  constructor(owner: string) {
    this.#owner = owner
  }

  get all(): readonly Party[] {
    return [...this.#parties.values()]
  }

  get size(): number {
    return this.#parties.size
  }

  get hasOwner(): boolean {
    return this.all.some(({ user }) => user === this.#owner)
  }

  get(id: string): Party | undefined {
    return this.#parties.get(id)
  }

  add(party: Party): void {
    this.#parties.set(party.id, party)
    party.signal.addEventListener('abort', party.onAbort, { once: true })
  }

  /** Undefined when they are gone already. */
  remove(id: string): Party | undefined {
    const party = this.#parties.get(id)
    if (!party) return undefined
    this.#parties.delete(id)
    clearTimeout(party.stallTimer)
    party.presence?.[Symbol.dispose]()
    party.signal.removeEventListener('abort', party.onAbort)
    return party
  }

  /** Throws access denied when there is no room for one more window of somebody; `except` is one that they give up. */
  requireRoom(user: string, except?: string): void {
    const others = this.all.filter(({ id }) => id !== except)
    if (others.filter((party) => party.user === user).length >= audienceLimits.windowsOfOnePerson)
      throw accessDenied(`you are in this session ${audienceLimits.windowsOfOnePerson} times already; close one of its windows first`)
    if (user !== this.#owner && others.filter((party) => party.user !== this.#owner).length >= audienceLimits.guests)
      throw accessDenied(`the session is full: ${audienceLimits.guests} people have joined it; try again when somebody has left`)
  }

  output(bytes: Buffer): void {
    for (const { sink } of this.#parties.values()) sink.output(bytes)
  }

  tell(text: string, except?: Party): void {
    for (const party of this.#parties.values()) if (party !== except) party.sink.notice(text)
  }

  event(event: PartyEvent, except?: Party): void {
    for (const party of this.#parties.values()) if (party !== except) party.sink.event(event)
  }

  peopleChanged(): void {
    for (const { sink } of this.#parties.values()) sink.peopleChanged?.()
  }

  closeAll(how: 'exit' | 'cut'): void {
    for (const { id, sink } of this.all) {
      this.remove(id)
      sink.close(how)
    }
  }
}

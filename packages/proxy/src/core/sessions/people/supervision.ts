/** Lets a moderated session begin, pause and end as its people come and go, and tells them. */
import type { SessionHost } from '../../access/session-access.ts'
import type { Audience, Party } from './audience.ts'
import { Moderation } from './moderation.ts'
import type { Person } from './moderation.ts'
import { notices } from '../notices.ts'
import type { OutputValve } from '../output/output-valve.ts'
import type { Attendee } from './party.ts'

export interface SupervisionOptions {
  host: SessionHost
  audience: Audience
  valve: OutputValve
  /** Everybody is there for the first time. */
  onStarted: () => void
  /** They are there again. */
  onResumed: () => void
  /** Somebody is missing, and the session must not go on without them. */
  onLost: () => void
}

export const personOf = ({ user, roles = [], traits = {}, mode }: Attendee): Person => ({
  person: { metadata: { name: user }, spec: { roles, traits } },
  mode,
})

export class Supervision {
  readonly moderation: Moderation
  readonly #options: SupervisionOptions

  constructor(options: SupervisionOptions) {
    this.#options = options
    this.moderation = new Moderation(options.host)
  }

  /** Judges whether everybody is there who is needed. A newcomer is told of those who are not in any case. */
  follow(newcomer?: Party): void {
    const { audience, valve, onStarted, onResumed, onLost } = this.#options
    const before = this.moderation.missing
    const change = this.moderation.follow(audience.all.map(personOf), audience.hasOwner)
    const { missing, state } = this.moderation
    switch (change) {
      case 'started':
        audience.tell(notices.started)
        return onStarted()
      case 'resumed':
        audience.tell(notices.resumed)
        valve.release(this)
        return onResumed()
      case 'paused':
        valve.hold(this)
        return audience.tell(notices.paused(missing))
      case 'terminated':
        return onLost()
      case undefined: {
        if (missing === '') return
        const text = state === 'pending' ? notices.waiting(missing) : notices.paused(missing)
        if (missing !== before) audience.tell(text)
        else newcomer?.sink.notice(text)
      }
    }
  }
}

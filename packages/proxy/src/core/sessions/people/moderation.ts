/** Who has to be in a session for it to go on, and what follows when they are not. */
import type { ParticipantMode } from '@sallyport/wire/entities/session-tracker.ts'
import { isModerated } from '../../access/session-access.ts'
import type { JoinPolicy, SessionHost } from '../../access/session-access.ts'
import type { ConditionUser } from '../../access/role-labels.ts'

/** Somebody in a session, or somebody who approves of something in it. */
export interface Person {
  readonly person: ConditionUser
  readonly mode: ParticipantMode
}

export interface Verdict {
  readonly isFulfilled: boolean
  /** What to do when it is not fulfilled any more. */
  readonly onLeave: JoinPolicy['onLeave']
  /** Who is still needed, in words; empty when nobody is. */
  readonly missing: string
}

/**
 * For every role of the owner that demands people, one of its policies has to be met. The owner never counts, and somebody
 * who is in a session twice counts once. Of the policies that are met, one that terminates decides for all.
 */
export function judge(host: SessionHost, people: readonly Person[]): Verdict {
  const others = people.filter(({ person }) => person.metadata.name !== host.user)
  let onLeave: JoinPolicy['onLeave'] = 'pause'
  for (const { name, policies } of host.roles) {
    if (policies.length === 0) continue
    const met = policies.find((policy) => lacking(policy, others) === 0)
    if (!met)
      return {
        isFulfilled: false,
        onLeave: 'terminate',
        missing: `${policies.map((policy) => need(policy, others)).join(', or ')} (role ${name})`,
      }
    if (met.onLeave === 'terminate') onLeave = 'terminate'
  }
  return { isFulfilled: true, onLeave, missing: '' }
}

function lacking({ count, modes, admits }: JoinPolicy, people: readonly Person[]): number {
  const counted = new Set(
    people.filter(({ person, mode }) => modes.includes(mode) && admits(person)).map(({ person }) => person.metadata.name),
  )
  return Math.max(0, count - counted.size)
}

const need = (policy: JoinPolicy, people: readonly Person[]): string =>
  `${lacking(policy, people)} more to join as ${policy.modes.join(' or ') || 'nothing'} for "${policy.name}"`

export type ModerationState = 'pending' | 'running' | 'paused'
export type ModerationChange = 'started' | 'resumed' | 'paused' | 'terminated'

/** Follows a session through its people coming and going. One that is not moderated runs all the time. */
export class Moderation {
  readonly isModerated: boolean
  readonly #host: SessionHost
  #state: ModerationState
  #verdict: Verdict

  constructor(host: SessionHost) {
    this.#host = host
    this.isModerated = isModerated(host)
    this.#state = this.isModerated ? 'pending' : 'running'
    this.#verdict = judge(host, [])
  }

  get state(): ModerationState {
    return this.#state
  }

  /** Who is still needed, in words; empty when nobody is. */
  get missing(): string {
    return this.#verdict.missing
  }

  /** Judges anew; says what changed. `ownerIsIn`: a session does not begin before its owner is there. */
  follow(people: readonly Person[], ownerIsIn: boolean): ModerationChange | undefined {
    if (!this.isModerated) return undefined
    const { onLeave } = this.#verdict
    this.#verdict = judge(this.#host, people)
    const { isFulfilled } = this.#verdict
    if (this.#state === 'running') {
      if (isFulfilled) return undefined
      this.#state = 'paused'
      return onLeave === 'terminate' ? 'terminated' : 'paused'
    }
    if (!isFulfilled || (this.#state === 'pending' && !ownerIsIn)) return undefined
    const change = this.#state === 'pending' ? 'started' : 'resumed'
    this.#state = 'running'
    return change
  }

  /** Whether these people together are enough to approve of something. */
  isEnough(people: readonly Person[]): boolean {
    return judge(this.#host, people).isFulfilled
  }
}

/** Moderators who proved who they are prove it again and again: a moderated session is not watched by an empty chair. */
export const presence = {
  /** Between two looks at everybody. */
  checkEvery: 15_000,
  /** A proof that is older is to be renewed; with the time between two looks it is renewed before it is too old. */
  dueAfter: 30_000,
  /** Who has given no proof for longer is put out. */
  goneAfter: 60_000,
} as const

export interface PresenceSubject {
  /** Asks for a proof; rejects when it does not hold. */
  prove: () => Promise<unknown>
  /** No proof came in time. */
  onAbsent: () => void
}

/** Watches somebody who has just given a proof. `now` in milliseconds. */
export function watchPresence({ prove, onAbsent }: PresenceSubject, now: () => number): Disposable {
  let last = now()
  let isAsking = false
  const check = (): void => {
    const age = now() - last
    if (age > presence.goneAfter) {
      clearInterval(timer)
      onAbsent()
    } else if (age >= presence.dueAfter && !isAsking) {
      isAsking = true
      void prove()
        .then(
          () => (last = now()),
          () => undefined, // what does not hold is no proof, and the next look asks again
        )
        .finally(() => (isAsking = false))
    }
  }
  const timer = setInterval(check, presence.checkEvery).unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}

/** Time and randomness come in from outside, so that tests can move one and predict the other. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

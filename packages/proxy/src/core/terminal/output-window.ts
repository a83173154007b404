/**
 * How much output may be on its way to a screen that says what it has shown: as much as it shows in a tenth of a second,
 * besides what the network holds. Everything that is under way is shown before the answer to a key, so without this a
 * Ctrl-C would wait for megabytes in the buffers of both systems. A screen that says nothing is not held.
 */

/** After so many bytes the console says what it has shown. */
export const acknowledgeEvery = 32 * 1024
/** What may wait for the screen (ms). */
const wait = 100
/** Of the network, until it is measured (ms). */
const assumedRoundTrip = 50
const least = 128 * 1024
const most = 4 * 1024 * 1024
/** The rate is taken over at least this time (ms). */
const interval = 50
/** Below this part of the limit the shell goes on. */
const goesOnBelow = 0.75

export class OutputWindow {
  readonly #now: () => number
  #sent = 0
  #shown = 0
  #limit = 2 * least
  /** Bytes per millisecond. */
  #rate = 0
  /** The shortest (ms): longer ones have waited behind output. */
  #roundTrip: number | undefined
  /** Where the present interval began. */
  #since: { shown: number; time: number } | undefined
  /** The screen, and not the shell, set the pace. */
  #wasFull = false

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  get isFull(): boolean {
    const isFull = this.#shown > 0 && this.#sent - this.#shown > this.#limit
    this.#wasFull ||= isFull
    return isFull
  }

  /** After it was full: whether the shell may go on. */
  get isRoomy(): boolean {
    return this.#shown === 0 || this.#sent - this.#shown <= this.#limit * goesOnBelow
  }

  sent(bytes: number): void {
    this.#since ??= { shown: this.#shown, time: this.#now() }
    this.#sent += bytes
  }

  /** The network was measured (ms). */
  roundTrip(took: number): void {
    this.#roundTrip = Math.min(this.#roundTrip ?? took, took)
  }

  /** The screen has shown everything up to this place. What is not possible is ignored. */
  shown(place: number): void {
    if (!(place > this.#shown && place <= this.#sent)) return
    this.#shown = place
    const now = this.#now()
    const took = this.#since ? now - this.#since.time : 0
    if (!this.#since || took < interval) return
    const rate = (place - this.#since.shown) / took
    // What comes slower because the shell writes slower says nothing about the screen.
    if (this.#wasFull || rate > this.#rate) this.#rate = rate
    this.#wasFull = false
    this.#since = place === this.#sent ? undefined : { shown: place, time: now }
    this.#limit = Math.min(most, Math.max(least, this.#rate * ((this.#roundTrip ?? assumedRoundTrip) + wait)))
  }
}

/**
 * Where a screen is in a session's output, so that whoever comes back sees every byte once. The server says where the
 * output begins, and announces the bytes in between that are its own.
 */
export class OutputPlace {
  /** Place up to which the screen has the output; undefined when the server does not count. */
  #have: number | undefined
  /** Place of the next byte of output. */
  #at = 0
  /** Bytes to come that are no output, and whether they are for the screen. */
  #announced = 0
  #isForScreen = true

  get have(): number | undefined {
    return this.#have
  }

  /** Another session. */
  reset(): void {
    this.#have = undefined
  }

  /** The output begins, or goes on, at this place. True when some of it will never be seen. */
  begin(offset: number | undefined): boolean {
    this.#announced = 0
    const have = this.#have
    if (offset === undefined) {
      this.#have = undefined
      return false
    }
    this.#at = offset
    this.#have = Math.max(have ?? 0, offset)
    return have !== undefined && offset > have
  }

  /** What comes next is of the server's own: a notice, or what puts a fresh screen into the right state. */
  announce(bytes: number, isNotice: boolean): void {
    this.#announced += bytes
    this.#isForScreen = isNotice || this.#at >= (this.#have ?? 0)
  }

  /** The part of some bytes that the screen has not shown yet. */
  take(bytes: Uint8Array): Uint8Array {
    if (this.#have === undefined) return bytes
    const own = Math.min(this.#announced, bytes.length)
    this.#announced -= own
    const seen = Math.min(bytes.length - own, this.#have - this.#at)
    this.#at += bytes.length - own
    this.#have = Math.max(this.#have, this.#at)
    if (seen === 0 && (own === 0 || this.#isForScreen)) return bytes
    const rest = bytes.subarray(own + seen)
    if (own === 0 || !this.#isForScreen) return rest
    const both = new Uint8Array(own + rest.length)
    both.set(bytes.subarray(0, own))
    both.set(rest, own)
    return both
  }
}

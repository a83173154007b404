/** Pauses a shell while anybody who gets its output cannot take more. */
import type { Shell } from './shell.ts'

export class OutputValve {
  readonly #shell: Shell
  /** The recorder and every full screen. */
  readonly #holders = new Set<unknown>()
  #isOpen = false

  constructor(shell: Shell) {
    this.#shell = shell
  }

  /** Output flows from here on, unless somebody holds it. Whatever comes before waits. */
  open(onOutput: (bytes: Buffer) => void): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#shell.stderr?.on('data', onOutput)
    this.#shell.on('data', onOutput)
  }

  hold(who: unknown): void {
    this.#holders.add(who)
    this.#shell.pause()
  }

  release(who: unknown): void {
    if (this.#holders.delete(who) && this.#holders.size === 0 && this.#isOpen) this.#shell.resume()
  }
}

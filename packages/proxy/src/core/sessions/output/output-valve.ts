/** Pauses a shell while anybody who gets its output cannot take more. */
import type { Shell } from '../shell.ts'

export class OutputValve {
  /** The recorder, every full screen, and whatever else holds the output back. */
  readonly #holders = new Set<unknown>()
  #shell: Shell | undefined

  /** Output flows from here on, unless somebody holds it. Whatever comes before waits. */
  open(shell: Shell, onOutput: (bytes: Buffer) => void): void {
    if (this.#shell) return
    this.#shell = shell
    if (this.#holders.size > 0) shell.pause()
    shell.stderr?.on('data', onOutput)
    shell.on('data', onOutput)
  }

  hold(who: unknown): void {
    this.#holders.add(who)
    this.#shell?.pause()
  }

  release(who: unknown): void {
    if (this.#holders.delete(who) && this.#holders.size === 0) this.#shell?.resume()
  }
}

/** Recent output, and all output from the moment when the last connection of the owner broke: nothing of it is lost to them. */
import type { OutputValve } from './output-valve.ts'
import { RecentOutput, unattendedLimit } from './recent-output.ts'

/** One read of a shell is less. */
const oneRead = 128 * 1024

export class Backlog extends RecentOutput {
  readonly #valve: OutputValve
  /** Place from which on everything is kept; undefined while somebody is in. */
  #from: number | undefined

  constructor(valve: OutputValve) {
    super()
    this.#valve = valve
  }

  /** The shell waits when there is more than can be kept. */
  override push(bytes: Buffer): void {
    super.push(bytes)
    if (this.#from !== undefined && this.end - this.#from > unattendedLimit - oneRead) this.#valve.hold(this)
  }

  keepAll(): void {
    this.#from = this.start
    this.isUnattended = true
  }

  keepRecent(): void {
    if (this.#from === undefined) return
    this.#from = undefined
    this.isUnattended = false
    this.#valve.release(this)
  }
}

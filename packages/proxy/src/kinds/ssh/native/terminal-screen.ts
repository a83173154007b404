/** A native client's end of a terminal: what the session shows goes to its channel, and the end with the shell's own status. */
import type { ServerChannel } from 'ssh2'
import type { Membership, PartySink } from '../../../core/sessions/people/party.ts'
import type { ExitInfo } from '../../../core/sessions/shell.ts'
import { reportExit } from './report-exit.ts'

/** Bytes handed to the channel and not taken yet: above, the shell waits; below the second, it goes on. */
const fullAt = 1024 * 1024
const emptyAt = 256 * 1024
const noticePrefix = 'Sallyport > '

export class TerminalScreen implements PartySink {
  readonly #channel: ServerChannel
  readonly #exit: Promise<ExitInfo>
  #membership: Membership | undefined
  #inFlight = 0
  #isFull = false
  #isClosed = false

  /** `exit`: how the shell ends; asked for only after it has. */
  constructor(channel: ServerChannel, exit: Promise<ExitInfo>) {
    this.#channel = channel
    this.#exit = exit
  }

  /** From here on keystrokes go to the session. */
  attach(membership: Membership): void {
    this.#membership = membership
    if (this.#isFull) membership.stall(true)
    this.#channel.on('data', (bytes: Buffer) => {
      if (!membership.input(bytes)) this.#channel.pause()
    })
  }

  /** A native client that went away does not come back to its seat. */
  welcome(): void {}

  restore(bytes: Buffer): void {
    this.output(bytes)
  }

  output(bytes: Buffer): void {
    if (this.#isClosed) return
    this.#inFlight += bytes.length
    this.#channel.write(bytes, () => {
      this.#inFlight -= bytes.length
      if (this.#isFull && this.#inFlight < emptyAt) this.#setFull(false)
    })
    if (!this.#isFull && this.#inFlight > fullAt) this.#setFull(true)
  }

  /** Resizes by others: a native terminal keeps the size of its window. */
  event(): void {}

  notice(text: string): void {
    this.output(Buffer.from(`\n${noticePrefix}${text}\n`.replaceAll('\n', '\r\n')))
  }

  resumeInput(): void {
    this.#channel.resume()
  }

  close(how: 'exit' | 'cut'): void {
    if (this.#isClosed) return
    this.#isClosed = true
    if (how === 'cut') return reportExit(this.#channel, { code: undefined, signal: undefined })
    void this.#exit.then((exit) => reportExit(this.#channel, exit))
  }

  #setFull(isFull: boolean): void {
    this.#isFull = isFull
    this.#membership?.stall(isFull)
  }
}

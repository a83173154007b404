/** A native client's end of a command without a terminal. */
import type { Readable, Writable } from 'node:stream'
import type { ServerChannel } from 'ssh2'
import type { CommandClient } from '../../../core/sessions/command-session.ts'
import type { ExitInfo } from '../../../core/sessions/shell.ts'
import { reportExit } from './report-exit.ts'

export class CommandStreams implements CommandClient {
  readonly input: Readable
  readonly #channel: ServerChannel
  #turn: Promise<void> = Promise.resolve()

  constructor(channel: ServerChannel) {
    this.input = channel
    this.#channel = channel
  }

  output(bytes: Buffer): Promise<void> {
    return this.#write(this.#channel, bytes)
  }

  errors(bytes: Buffer): Promise<void> {
    return this.#write(this.#channel.stderr, bytes)
  }

  close(exit: ExitInfo, text?: string): void {
    if (text !== undefined && text !== '') this.#channel.stderr.write(`${text}\n`)
    reportExit(this.#channel, exit)
  }

  /**
   * ssh2 keeps what a full window held back of the last write per stream, never forgets it, and mixes up the two streams
   * when the window opens. One write at a time over both, with that memory cleared after each, keeps every byte in its place.
   */
  #write(target: Writable, bytes: Buffer): Promise<void> {
    const channel = this.#channel
    this.#turn = this.#turn.then(
      () =>
        new Promise((resolve) => {
          target.write(bytes, () => {
            for (const name of ['_chunk', '_chunkcb', '_chunkErr', '_chunkcbErr']) Reflect.set(channel, name, undefined)
            resolve()
          })
        }),
    )
    return this.#turn
  }
}

/**
 * A channel of the outer connection as the byte stream of the inner one. The library writes a packet in pieces, and while
 * it does must not be entered again for the outer connection: what comes in one turn goes out as one piece after it.
 */
import { Duplex } from 'node:stream'
import type { ServerChannel } from 'ssh2'

export class JumpStream extends Duplex {
  readonly #channel: ServerChannel
  #gathered: Buffer[] = []
  #isScheduled = false

  constructor(channel: ServerChannel) {
    super({ highWaterMark: 256 * 1024 })
    this.#channel = channel
    channel.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) channel.pause()
    })
    channel.on('end', () => this.push(null))
    channel.on('error', (error: Error) => this.destroy(error))
    channel.on('close', () => this.destroy())
  }

  override _read(): void {
    this.#channel.resume()
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, callback: () => void): void {
    this.#gathered.push(bytes)
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => this.#flush())
    }
    callback()
  }

  override _final(callback: () => void): void {
    process.nextTick(() => {
      this.#flush()
      this.#channel.end()
      callback()
    })
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#gathered = []
    this.#channel.destroy()
    // Whatever still arrives has no reader.
    this.#channel.resume()
    callback(error)
  }

  #flush(): void {
    this.#isScheduled = false
    const pieces = this.#gathered
    this.#gathered = []
    const [only] = pieces
    if (only) this.#channel.write(pieces.length === 1 ? only : Buffer.concat(pieces))
  }
}

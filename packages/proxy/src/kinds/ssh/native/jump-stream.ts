/**
 * A channel of the outer connection as the byte stream of the inner one. The library writes a packet in pieces, and while
 * it does must not be entered again for the outer connection: what comes in one turn goes out after it, in full packets.
 */
import { Duplex } from 'node:stream'
import type { ServerChannel } from 'ssh2'

/** Where the pieces of a packet of the outer connection come together. Nothing is left in it between two turns. */
const packet = Buffer.allocUnsafeSlow(32 * 1024)

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

  override _writev(chunks: { chunk: Buffer }[], callback: () => void): void {
    for (const { chunk } of chunks) this.#gathered.push(chunk)
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
    let filled = 0
    for (const piece of this.#gathered)
      for (let at = 0; at < piece.length;) {
        const copied = piece.copy(packet, filled, at)
        at += copied
        filled += copied
        if (filled === packet.length) filled = this.#send(filled)
      }
    this.#gathered = []
    if (filled > 0) this.#send(filled)
  }

  /** The library copies what it can send at once; what has to wait needs memory of its own. Returns 0. */
  #send(length: number): 0 {
    const channel = this.#channel
    const { window } = Reflect.get(channel, 'outgoing') as { window: number }
    const isSentAtOnce = channel.writableLength === 0 && window >= length
    const bytes = packet.subarray(0, length)
    channel.write(isSentAtOnce ? bytes : Buffer.from(bytes))
    return 0
  }
}

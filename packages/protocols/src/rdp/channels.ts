/** Static channels: messages of any length in pieces of at most 1600 bytes. */
import { RdpReader, u32 } from './bytes.ts'

const chunkLength = 1600
const flags = { first: 1, last: 2, showProtocol: 0x10 } as const

export function encodeChannelMessage(message: Buffer): Buffer[] {
  const chunks: Buffer[] = []
  for (let at = 0; at < message.length; at += chunkLength) {
    const chunk = message.subarray(at, at + chunkLength)
    const flag = (at === 0 ? flags.first : 0) | (at + chunkLength >= message.length ? flags.last : 0) | flags.showProtocol
    chunks.push(Buffer.concat([u32(message.length, flag), chunk]))
  }
  return chunks
}

/** Puts the messages of one channel together. What is longer than the limit is passed over. */
export class ChannelReader {
  readonly #limit: number
  #pieces: Buffer[] = []
  #length = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** A whole message, when this piece ends one. Throws ProtocolError. */
  push(data: Buffer): Buffer | undefined {
    const reader = new RdpReader(data, 'message on a channel')
    const flag = reader.skip(4).u32()
    const piece = reader.rest()
    if (flag & flags.first) {
      this.#pieces = []
      this.#length = 0
    }
    this.#length += piece.length
    if (this.#length <= this.#limit) this.#pieces.push(Buffer.from(piece))
    else this.#pieces = []
    if (!(flag & flags.last)) return undefined
    const whole = this.#length <= this.#limit ? Buffer.concat(this.#pieces) : undefined
    this.#pieces = []
    this.#length = 0
    return whole
  }
}

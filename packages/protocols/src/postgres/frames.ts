/**
 * Frames of PostgreSQL's protocol, version 3: `type u8 | length i32 | body`, the length counting itself and the body. The
 * first frame of a client has no type.
 */
import { ProtocolError } from '../protocol-error.ts'

export interface Frame {
  /** The letter of the message. */
  type: string
  /** Bytes of the whole body. */
  length: number
  /** The body, or its beginning where that is all that was asked for. */
  body: Buffer
}

const headerLength = 5

/** Whole frames, of messages up to `limit` bytes. */
export class FrameReader {
  readonly #limit: number
  #rest: Buffer[] = []
  #restLength = 0
  #needed = headerLength

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Throws ProtocolError for a length that cannot be, or is above the limit. The bodies are views of what was pushed. */
  push(chunk: Buffer): Frame[] {
    this.#rest.push(chunk)
    this.#restLength += chunk.length
    if (this.#restLength < this.#needed) return []
    const bytes = this.#rest.length === 1 ? chunk : Buffer.concat(this.#rest)
    const frames: Frame[] = []
    let at = 0
    this.#needed = headerLength
    while (bytes.length - at >= headerLength) {
      const length = bodyLength(bytes, at)
      if (length > this.#limit)
        throw new ProtocolError('too-long', `a message of ${length} bytes is longer than the ${this.#limit} that are taken`)
      this.#needed = headerLength + length
      if (bytes.length - at < this.#needed) break
      frames.push({ type: letter(bytes, at), length, body: bytes.subarray(at + headerLength, at + this.#needed) })
      at += this.#needed
      this.#needed = headerLength
    }
    this.#restLength = bytes.length - at
    this.#rest = this.#restLength === 0 ? [] : [bytes.subarray(at)]
    return frames
  }
}

/** What passes, as it is, with the beginnings of the frames in it: however long a message is, little of it is held. */
export class FrameWatch {
  readonly #headLimit: number
  #held: Buffer = Buffer.alloc(0)
  /** Bytes of a frame whose beginning has been told. */
  #passing = 0

  constructor(headLimit: number) {
    this.#headLimit = headLimit
  }

  /** `bytes` are what may go on once the frames have been seen to. Throws ProtocolError for a length that cannot be. */
  push(chunk: Buffer): { frames: Frame[]; bytes: Buffer } {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const frames: Frame[] = []
    let at = Math.min(this.#passing, all.length)
    this.#passing -= at
    while (this.#passing === 0 && all.length - at >= headerLength) {
      const length = bodyLength(all, at)
      const head = Math.min(length, this.#headLimit)
      if (all.length - at < headerLength + head) break
      frames.push({ type: letter(all, at), length, body: all.subarray(at + headerLength, at + headerLength + head) })
      const there = Math.min(headerLength + length, all.length - at)
      this.#passing = headerLength + length - there
      at += there
    }
    this.#held = all.subarray(at)
    return { frames, bytes: all.subarray(0, at) }
  }
}

function bodyLength(bytes: Buffer, at: number): number {
  const length = bytes.readInt32BE(at + 1)
  if (length < 4) throw new ProtocolError('bad-length', `a message cannot have a length of ${length}`)
  return length - 4
}

const letter = (bytes: Buffer, at: number): string => String.fromCharCode(bytes.readUInt8(at))

export function frame(type: string, ...parts: readonly (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  const header = Buffer.alloc(headerLength)
  header.write(type, 'latin1')
  header.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([header, body])
}

/** Reads the fields of a body in order. Throws ProtocolError when there is less than it is asked for. */
export class BodyReader {
  readonly #body: Buffer
  #at = 0

  constructor(body: Buffer) {
    this.#body = body
  }

  get left(): number {
    return this.#body.length - this.#at
  }
  /** Text up to a zero byte. */
  text(): string {
    const end = this.#body.indexOf(0, this.#at)
    if (end === -1) throw tooShort()
    const text = this.#body.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }
  /** The same, where only the beginning of the body may be there. */
  textSoFar(): string {
    const end = this.#body.indexOf(0, this.#at)
    const text = this.#body.toString('utf8', this.#at, end === -1 ? this.#body.length : end)
    this.#at = end === -1 ? this.#body.length : end + 1
    return text
  }
  byte(): number {
    return this.#body.readUInt8(this.#take(1))
  }
  short(): number {
    return this.#body.readInt16BE(this.#take(2))
  }
  int(): number {
    return this.#body.readInt32BE(this.#take(4))
  }
  unsigned(): number {
    return this.#body.readUInt32BE(this.#take(4))
  }
  bytes(length: number): Buffer {
    const from = this.#take(length)
    return this.#body.subarray(from, from + length)
  }
  /** Text of so many bytes. */
  textOf(length: number): string {
    const from = this.#take(length)
    return this.#body.toString('utf8', from, from + length)
  }

  /** Where they begin. A result has millions of fields: no object is made for one. */
  #take(length: number): number {
    if (length < 0 || length > this.left) throw tooShort()
    const from = this.#at
    this.#at += length
    return from
  }
}

const tooShort = (): ProtocolError => new ProtocolError('too-short', 'a message ends before its last field')

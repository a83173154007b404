/** Fields of the payloads of MySQL's packets. */
import { ProtocolError } from '../protocol-error.ts'

const tooShort = (): ProtocolError => new ProtocolError('too-short', 'a message ends before its last field')

/** Reads in order. Throws ProtocolError when there is less than it is asked for. */
export class FieldReader {
  readonly #body: Buffer
  #at: number

  constructor(body: Buffer, at = 0) {
    this.#body = body
    this.#at = at
  }

  get left(): number {
    return this.#body.length - this.#at
  }
  byte(): number {
    return this.bytes(1).readUInt8()
  }
  /** Of so many bytes, six at most. */
  uint(width: number): number {
    return this.bytes(width).readUIntLE(0, width)
  }
  bytes(length: number): Buffer {
    if (length < 0 || length > this.left) throw tooShort()
    this.#at += length
    return this.#body.subarray(this.#at - length, this.#at)
  }
  rest(): Buffer {
    return this.bytes(this.left)
  }
  /** Text up to a zero byte. */
  text(): string {
    const end = this.#body.indexOf(0, this.#at)
    if (end === -1) throw tooShort()
    const text = this.#body.toString('utf8', this.#at, end)
    this.#at = end + 1
    return text
  }
  /** An integer that says its own width; undefined for NULL. */
  lengthOrNull(): number | undefined {
    const first = this.byte()
    if (first < 0xfb) return first
    if (first === 0xfb) return undefined
    if (first === 0xfc) return this.uint(2)
    if (first === 0xfd) return this.uint(3)
    if (first === 0xff) throw new ProtocolError('bad-length', 'a length begins with a byte that none has')
    const value = this.bytes(8).readBigUInt64LE()
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new ProtocolError('bad-length', 'a length is beyond all bounds')
    return Number(value)
  }
  length(): number {
    return this.lengthOrNull() ?? 0
  }
  /** Bytes behind their length. */
  counted(): Buffer {
    return this.bytes(this.length())
  }
}

export function uint(value: number, width: number): Buffer {
  const bytes = Buffer.alloc(width)
  bytes.writeUIntLE(value, 0, width)
  return bytes
}

/** As `length` reads it. */
export function lengthOf(value: number): Buffer {
  if (value < 0xfb) return Buffer.from([value])
  if (value <= 0xff_ff) return Buffer.concat([Buffer.from([0xfc]), uint(value, 2)])
  return Buffer.concat([Buffer.from([0xfd]), uint(value, 3)])
}

export const counted = (bytes: Buffer): Buffer => Buffer.concat([lengthOf(bytes.length), bytes])

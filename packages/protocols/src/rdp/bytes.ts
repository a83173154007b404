/** Little-endian fields of RDP, read from bytes that are not trusted and written in order. */
import { ProtocolError } from '../protocol-error.ts'

/** Throws ProtocolError `rdp/truncated` or `rdp/malformed`; what it returns are views, not copies. */
export class RdpReader {
  readonly #bytes: Buffer
  readonly #what: string
  #offset = 0

  /** @param what names the thing being read, for error messages. */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#what = what
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset
  }

  take(length: number): Buffer {
    if (length > this.remaining)
      throw new ProtocolError('rdp/truncated', `The ${this.#what} ends early: ${length} bytes expected, ${this.remaining} left.`)
    this.#offset += length
    return this.#bytes.subarray(this.#offset - length, this.#offset)
  }

  rest(): Buffer {
    return this.take(this.remaining)
  }

  skip(length: number): this {
    this.take(length)
    return this
  }

  u8(): number {
    return this.take(1).readUInt8()
  }

  u16(): number {
    return this.take(2).readUInt16LE()
  }

  u16be(): number {
    return this.take(2).readUInt16BE()
  }

  u32(): number {
    return this.take(4).readUInt32LE()
  }

  malformed(reason: string): ProtocolError {
    return new ProtocolError('rdp/malformed', `The ${this.#what} is malformed: ${reason}.`)
  }
}

export function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeUInt16LE(value & 0xffff, index * 2)
  return bytes
}

export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, index * 4)
  return bytes
}

export function u16be(...values: number[]): Buffer {
  return u16(...values).swap16()
}

export const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

/** Text in a field of a fixed number of bytes, cut so that a zero ends it. */
export function utf16Field(text: string, length: number): Buffer {
  const field = Buffer.alloc(length)
  utf16(text)
    .subarray(0, length - 2)
    .copy(field)
  return field
}

import { ProtocolError } from '../protocol-error.ts'

/** Data types of RFC 4251 section 5, written. */

export function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

export function encodeUint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

export function encodeString(value: Uint8Array | string): Buffer {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'utf8') : value
  return Buffer.concat([encodeUint32(bytes.length), bytes])
}

/** An unsigned big-endian number as mpint: no leading zeros, but one where the top bit would read as a sign. */
export function encodeMpint(magnitude: Uint8Array): Buffer {
  let start = 0
  while (start < magnitude.length && magnitude[start] === 0) start++
  const digits = magnitude.subarray(start)
  const first = digits[0]
  return encodeString(first !== undefined && first >= 0x80 ? Buffer.concat([Buffer.of(0), digits]) : digits)
}

/**
 * Reads the same types from bytes that are not trusted. Every read is checked against what is left,
 * and throws ProtocolError `ssh/truncated` or `ssh/malformed`; what it returns are views, not copies.
 */
export class SshReader {
  readonly #bytes: Buffer
  readonly #what: string
  #offset = 0

  /** @param what names the thing being read, for error messages. */
  constructor(bytes: Uint8Array, what: string) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#what = what
  }

  get offset(): number {
    return this.#offset
  }

  get remaining(): number {
    return this.#bytes.length - this.#offset
  }

  #take(length: number): Buffer {
    if (length > this.remaining) {
      throw new ProtocolError('ssh/truncated', `The ${this.#what} ends early: ${length} bytes expected, ${this.remaining} left.`)
    }
    const taken = this.#bytes.subarray(this.#offset, this.#offset + length)
    this.#offset += length
    return taken
  }

  uint32(): number {
    return this.#take(4).readUInt32BE()
  }

  uint64(): bigint {
    return this.#take(8).readBigUInt64BE()
  }

  string(): Buffer {
    return this.#take(this.uint32())
  }

  /** A string that has to be valid UTF-8 and free of control characters: names, principals, algorithms. */
  text(): string {
    const bytes = this.string()
    const text = bytes.toString('utf8')
    // oxlint-disable-next-line no-control-regex -- control characters are what is refused
    if (!Buffer.from(text, 'utf8').equals(bytes) || /[\u0000-\u001f\u007f]/u.test(text)) throw this.malformed('a text is not plain UTF-8')
    return text
  }

  /** A non-negative mpint in its one valid form, without the sign byte. */
  mpint(): Buffer {
    const bytes = this.string()
    const [first, second] = bytes
    if (first === undefined) return bytes
    if (first >= 0x80) throw this.malformed('a number is negative')
    if (first > 0) return bytes
    if (second === undefined || second < 0x80) throw this.malformed('a number has leading zeros')
    return bytes.subarray(1)
  }

  end(): void {
    if (this.remaining > 0) throw this.malformed(`${this.remaining} bytes follow its end`)
  }

  malformed(reason: string): ProtocolError {
    return new ProtocolError('ssh/malformed', `The ${this.#what} is malformed: ${reason}.`)
  }
}

/**
 * Packets of MySQL's protocol: `length u24 | sequence u8 | payload`, little-endian. A payload of the greatest length is
 * continued by the next packet. Sequences count up within one command and its answer.
 */
import { ProtocolError } from '../protocol-error.ts'

export const headerLength = 4
export const fullLength = 0xff_ff_ff

export interface Packet {
  sequence: number
  /** Bytes of the whole payload of this packet. */
  length: number
  /** The payload, or its beginning where that is all that was asked for. */
  body: Buffer
}

const badSequence = (sequence: number, next: number): ProtocolError =>
  new ProtocolError('bad-sequence', `a packet has the number ${sequence} where ${next} has to come`)

/** Whole messages up to `limit` bytes, those of several packets joined. */
export class PacketReader {
  readonly #limit: number
  #rest: Buffer[] = []
  #restLength = 0
  #needed = headerLength
  #parts: Buffer[] = []
  #partsLength = 0
  /** Number that the next packet has to have. */
  next: number

  constructor(limit: number, next = 0) {
    this.#limit = limit
    this.next = next
  }

  /** Bytes that are no whole packet yet. */
  get held(): number {
    return this.#restLength + this.#partsLength
  }

  /** Throws ProtocolError. The bodies are views of what was pushed. */
  *push(chunk: Buffer): Generator<Packet> {
    this.#rest.push(chunk)
    this.#restLength += chunk.length
    if (this.#restLength < this.#needed) return
    let bytes = this.#rest.length === 1 ? chunk : Buffer.concat(this.#rest)
    for (;;) {
      const length = bytes.length < headerLength ? 0 : bytes.readUIntLE(0, 3)
      if (this.#partsLength + length > this.#limit)
        throw new ProtocolError('too-long', `a message is longer than the ${this.#limit} bytes that are taken`)
      this.#needed = headerLength + length
      this.#rest = bytes.length === 0 ? [] : [bytes]
      this.#restLength = bytes.length
      if (bytes.length < this.#needed) return
      const sequence = bytes.readUInt8(3)
      if (sequence !== this.next) throw badSequence(sequence, this.next)
      this.next = (sequence + 1) & 0xff
      const part = bytes.subarray(headerLength, this.#needed)
      bytes = bytes.subarray(this.#needed)
      this.#rest = [bytes]
      this.#restLength = bytes.length
      if (length < fullLength && this.#parts.length === 0) yield { sequence, length, body: part }
      else {
        this.#parts.push(part)
        this.#partsLength += length
        if (length === fullLength) continue
        const body = Buffer.concat(this.#parts)
        this.#parts = []
        this.#partsLength = 0
        yield { sequence, length: body.length, body }
      }
    }
  }
}

/** A packet that begins in what may go on, at this place; `body` is its beginning. */
export interface PassingPacket extends Packet {
  at: number
}
/** Told of each packet that is no continuation, before any byte of it goes on. */
export type TakePacket = (packet: PassingPacket) => void

/** What passes, as it is, with the beginnings of the packets in it: however long a message is, little of it is held. */
export class PacketWatch {
  readonly #headLimit: number
  readonly #take: TakePacket
  readonly #onContinued: (packet: Omit<Packet, 'body'>) => void
  #held: Buffer = Buffer.alloc(0)
  /** Bytes of a packet whose beginning has been told. */
  #passing = 0
  #isContinued = false
  /** Number that the next packet has to have, one more than the last unless whoever is told of that says another; undefined for any. */
  next: number | undefined = 0

  constructor(headLimit: number, take: TakePacket, onContinued: (packet: Omit<Packet, 'body'>) => void = () => undefined) {
    this.#headLimit = headLimit
    this.#take = take
    this.#onContinued = onContinued
  }

  /** Whether what has passed ends with a whole message. */
  get isBetween(): boolean {
    return this.#passing === 0 && this.#held.length === 0 && !this.#isContinued
  }

  /** What may go on. Throws ProtocolError for a number that is out of order, and what `take` throws. */
  push(chunk: Buffer): Buffer {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    let at = Math.min(this.#passing, all.length)
    this.#passing -= at
    while (this.#passing === 0 && all.length - at >= headerLength) {
      const length = all.readUIntLE(at, 3)
      const head = this.#isContinued ? 0 : Math.min(length, this.#headLimit)
      if (all.length - at < headerLength + head) break
      const sequence = all.readUInt8(at + 3)
      if (this.next !== undefined && sequence !== this.next) throw badSequence(sequence, this.next)
      this.next = (sequence + 1) & 0xff
      if (this.#isContinued) this.#onContinued({ sequence, length })
      else this.#take({ at, sequence, length, body: all.subarray(at + headerLength, at + headerLength + head) })
      this.#isContinued = length === fullLength
      const there = Math.min(headerLength + length, all.length - at)
      this.#passing = headerLength + length - there
      at += there
    }
    this.#held = all.subarray(at)
    return all.subarray(0, at)
  }
}

/** One message of less than 16 MB. */
export function packet(sequence: number, ...parts: readonly (Buffer | string | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : typeof part === 'number' ? Buffer.from([part]) : part)),
  )
  if (body.length >= fullLength) throw new ProtocolError('too-long', 'a message has to be shorter than 16 MB')
  const header = Buffer.alloc(headerLength)
  header.writeUIntLE(body.length, 0, 3)
  header.writeUInt8(sequence & 0xff, 3)
  return Buffer.concat([header, body])
}

/**
 * What an RDP connection consists of: packets of the connection (TPKT, `03 00 length16`), and short ones on the fast path
 * (two low bits of the first byte zero, then a length of seven or fifteen bits that counts all of it).
 */
import { ProtocolError } from '../protocol-error.ts'

export interface RdpPacket {
  kind: 'connection' | 'fastPath'
  /** Without the header. */
  body: Buffer
}

const tpktHeader = 4

export function encodeTpkt(...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, tpktHeader)
  return Buffer.concat([Buffer.from([3, 0, length >> 8, length & 0xff]), ...parts])
}

/** Cuts a stream into packets. Throws ProtocolError where it is none of RDP. */
export class PacketCutter {
  #rest: Buffer = Buffer.alloc(0)

  /** The packets that are whole now; they are views of what was pushed. */
  push(bytes: Buffer): RdpPacket[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const packets: RdpPacket[] = []
    for (let head = this.#head(); head && this.#rest.length >= head.length; head = this.#head()) {
      packets.push({ kind: head.kind, body: this.#rest.subarray(head.from, head.length) })
      this.#rest = this.#rest.subarray(head.length)
    }
    return packets
  }

  #head(): { kind: RdpPacket['kind']; from: number; length: number } | undefined {
    const [first, second, third, fourth] = this.#rest
    if (first === undefined || second === undefined || third === undefined) return undefined
    if (first === 3) {
      if (fourth === undefined) return undefined
      return this.#checked('connection', tpktHeader, (third << 8) | fourth)
    }
    if ((first & 3) !== 0) throw new ProtocolError('rdp/malformed', 'The desktop does not speak RDP.')
    return second < 0x80 ? this.#checked('fastPath', 2, second) : this.#checked('fastPath', 3, ((second & 0x7f) << 8) | third)
  }

  #checked(kind: RdpPacket['kind'], from: number, length: number) {
    if (length < from) throw new ProtocolError('rdp/malformed', 'A packet of the desktop is shorter than its header.')
    return { kind, from, length }
  }
}

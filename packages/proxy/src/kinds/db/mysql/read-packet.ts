/** One packet after another, of a stream that nobody else reads. */
import type { Duplex } from 'node:stream'
import { PacketReader } from '@sallyport/protocols/mysql/packets.ts'
import type { Packet } from '@sallyport/protocols/mysql/packets.ts'
import { nextBytes } from '../next-bytes.ts'

/** What is said before anybody is in. */
const limit = 64 * 1024

export class PacketSource {
  readonly #stream: Duplex
  readonly #reader: PacketReader
  #packets: Generator<Packet> | undefined

  constructor(stream: Duplex, next: number) {
    this.#stream = stream
    this.#reader = new PacketReader(limit, next)
  }

  /** Rejects with connection problem when there are no more, and with ProtocolError. */
  async read(): Promise<Packet> {
    for (;;) {
      const found = this.#packets?.next()
      if (found && !found.done) return found.value
      this.#packets = this.#reader.push(await nextBytes(this.#stream))
    }
  }
  /** The other end's packets are counted together with this one's. */
  skip(sequence: number): void {
    this.#reader.next = sequence & 0xff
  }
  /** Bytes behind what was read. */
  get held(): number {
    return this.#reader.held
  }
}

/** Reads a stream piece by piece, so that each stage of a handshake takes what is its own and leaves the rest. */
import type { Readable } from 'node:stream'
import { DesktopError } from '../desktop-error.ts'

export class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)

  constructor(stream: Readable) {
    this.#chunks = stream.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>
  }

  /** The next bytes, as many as there are; undefined at the end. */
  async read(): Promise<Buffer | undefined> {
    if (this.#rest.length > 0) {
      const rest = this.#rest
      this.#rest = Buffer.alloc(0)
      return rest
    }
    const { value, done } = await this.#chunks.next()
    return done === true ? undefined : value
  }

  /** One message whose length its beginning tells. Rejects when the stream ends before, or it is too long. */
  async message(cut: (bytes: Buffer) => number | undefined, limit: number): Promise<Buffer> {
    let bytes = Buffer.alloc(0)
    for (;;) {
      const length = cut(bytes)
      if (length !== undefined && bytes.length >= length) {
        this.#rest = bytes.subarray(length)
        return bytes.subarray(0, length)
      }
      if (bytes.length > limit) throw new DesktopError('protocol', 'The desktop sends more than belongs there.')
      const more = await this.read()
      if (!more) throw new DesktopError('refused', 'The desktop closed the connection while it was set up.')
      bytes = Buffer.concat([bytes, more])
    }
  }
}

/** The bytes of one `scp` on a server: lines and bodies out of one stream. */
import type { ShellChannel } from '../channel.ts'
import { SshError } from '../ssh-error.ts'
import { failed, plainWords } from './remote-file.ts'

const lineLimit = 8 * 1024

export class ScpStream {
  /** Resolves when the other side is gone. */
  readonly closed: Promise<void>
  readonly #channel: ShellChannel
  readonly #chunks: AsyncIterator<Buffer>
  #rest: Buffer = Buffer.alloc(0)
  #errors = ''

  constructor(channel: ShellChannel) {
    this.#channel = channel
    this.#chunks = channel[Symbol.asyncIterator]() as AsyncIterator<Buffer>
    this.closed = new Promise((resolve) => channel.once('close', resolve))
    channel.on('error', () => undefined) // whoever reads or writes next is told
    channel.stderr.on('data', (bytes: Buffer) => {
      this.#errors = (this.#errors + bytes.toString('utf8')).slice(0, lineLimit)
    })
  }

  /** What the program wrote beside the protocol. */
  get errors(): string {
    return plainWords(this.#errors)
  }

  /** Resolves when the server has taken what was sent, so that a slow one slows the sender. */
  send(bytes: Uint8Array | string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#channel.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  }

  async #more(): Promise<boolean> {
    if (this.#rest.length > 0) return true
    const next = await this.#chunks.next()
    if (next.done === true) return false
    this.#rest = next.value
    return true
  }

  /** The next byte; undefined at the end. */
  async byte(): Promise<number | undefined> {
    if (!(await this.#more())) return undefined
    const byte = this.#rest[0]
    this.#rest = this.#rest.subarray(1)
    return byte
  }

  /** Up to the end of the line, or up to another byte, which is not part of it. */
  async line(lineEnd = 0x0a): Promise<string> {
    const parts: Buffer[] = []
    let length = 0
    while (length <= lineLimit && (await this.#more())) {
      const end = this.#rest.indexOf(lineEnd)
      const part = this.#rest.subarray(0, end === -1 ? undefined : end)
      parts.push(part)
      length += part.length
      this.#rest = this.#rest.subarray(end === -1 ? this.#rest.length : end + 1)
      if (end !== -1) return Buffer.concat(parts).toString('utf8')
    }
    throw new SshError('connection-lost', 'What the server sent is no scp; start-up files of the login must not print anything.')
  }

  /** Exactly so many bytes, as they come. */
  async *bytes(count: number, path: string): AsyncGenerator<Buffer> {
    let missing = count
    while (missing > 0) {
      if (!(await this.#more())) throw failed(path, this.errors || 'the server ended the transfer')
      const piece = this.#rest.subarray(0, missing)
      this.#rest = this.#rest.subarray(piece.length)
      missing -= piece.length
      yield piece
    }
  }

  close(): void {
    this.#channel.destroy()
  }
}

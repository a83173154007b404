/** A directory as a tar, packed while it is sent: nothing is kept but the piece that is on its way. */
import { once } from 'node:events'
import { fileTypeOf } from '@sallyport/protocols/ssh/sftp.ts'
import { pack } from 'tar-stream'
import type { Header, Pack } from 'tar-stream'
import { AppError, badParameter } from '../../../core/errors.ts'
import { SftpError } from '../sftp.ts'
import type { Sftp } from '../sftp.ts'
import { entriesOf, findPath, openFile } from './sftp-files.ts'
import type { DirectoryEntry } from './sftp-files.ts'
import { baseName, joinPath } from './remote-path.ts'

/** Deeper than this is a loop, or nothing that anybody wants as one file. */
const deepest = 64
const notesLimit = 1000
/** What could not be read is told in a file of the archive: the others are worth having. */
const notesName = 'NOT-INCLUDED.txt'

/** `onFile` is told of each file before its first byte. Throws AppError, SftpError, SshError. */
export async function packDirectory(
  sftp: Sftp,
  location: string,
  onFile: (path: string) => Promise<void>,
): Promise<{ path: string; bytes: AsyncIterable<Buffer> }> {
  const found = await findPath(sftp, location)
  if (fileTypeOf(found.attributes) !== 'directory') throw badParameter(`"${location}" is not a directory; download it without "archive"`)
  const path = await sftp.realpath(found.path)
  const tar = pack()
  const queue = new Queue(tar)
  const packing = new Packing(sftp, tar, queue, onFile)
  packing
    .all(path, baseName(path) || 'root')
    .catch((error: unknown) => tar.destroy(error instanceof Error ? error : new Error(String(error))))
  return { path, bytes: queue.bytes() }
}

type EntryHeader = Partial<Header> & Pick<Header, 'name'>

/** How many bytes of headers wait for a slow reader: entries without a body know no backpressure of their own. */
const queueLimit = 256 * 1024

class Queue {
  readonly #pieces: AsyncIterable<Buffer>
  #length = 0
  #onRead: (() => void) | undefined

  constructor(tar: Pack) {
    this.#pieces = tar as AsyncIterable<Buffer>
    const push = tar.push.bind(tar)
    tar.push = (bytes: Buffer | null) => {
      this.#length += bytes?.length ?? 0
      return push(bytes)
    }
  }

  async room(): Promise<void> {
    while (this.#length > queueLimit) await new Promise<void>((resolve) => (this.#onRead = resolve))
  }

  async *bytes(): AsyncGenerator<Buffer> {
    for await (const piece of this.#pieces) {
      this.#length -= piece.length
      this.#onRead?.()
      yield piece
    }
  }
}

class Packing {
  readonly #sftp: Sftp
  readonly #tar: Pack
  readonly #onFile: (path: string) => Promise<void>
  readonly #queue: Queue
  readonly #missing: string[] = []

  constructor(sftp: Sftp, tar: Pack, queue: Queue, onFile: (path: string) => Promise<void>) {
    this.#sftp = sftp
    this.#tar = tar
    this.#queue = queue
    this.#onFile = onFile
  }

  async all(path: string, name: string): Promise<void> {
    await this.#directory(path, name, 0)
    if (this.#missing.length > 0) await this.#entry({ name: `${name}/${notesName}` }, `${this.#missing.join('\n')}\n`)
    this.#tar.finalize()
  }

  async #directory(path: string, name: string, depth: number): Promise<void> {
    if (depth > deepest) return this.#miss(path, 'too deep')
    await this.#entry({ name: `${name}/`, type: 'directory' })
    for await (const entry of entriesOf(this.#sftp, path))
      await this.#one(joinPath(path, entry.name), `${name}/${entry.name}`, entry, depth)
  }

  async #one(path: string, name: string, { attributes }: DirectoryEntry, depth: number): Promise<void> {
    const type = fileTypeOf(attributes)
    const header = {
      name,
      mode: (attributes.mode ?? 0) & 0o7777,
      ...(attributes.modified && { mtime: new Date(attributes.modified * 1000) }),
    }
    try {
      if (type === 'directory') await this.#directory(path, name, depth + 1)
      else if (type === 'symlink') await this.#entry({ ...header, type: 'symlink', linkname: await this.#sftp.readlink(path) })
      else if (type === 'file') await this.#file(path, header)
      else this.#miss(path, 'not a regular file')
    } catch (error) {
      // What the server refuses is missing; when it is gone, all is.
      if (!(error instanceof SftpError) && !(error instanceof AppError && error.code === 'bad_parameter')) throw error
      this.#miss(path, error.message)
    }
  }

  async #file(path: string, header: EntryHeader): Promise<void> {
    const source = await openFile(this.#sftp, path)
    try {
      await this.#onFile(source.path)
      const entry = this.#tar.entry({ ...header, size: source.size })
      const finished = once(entry, 'finish')
      finished.catch(() => undefined) // of an archive that is given up
      for await (const piece of source.read(0, source.size)) if (!entry.write(piece)) await once(entry, 'drain')
      entry.end(null)
      await finished
      await this.#queue.room()
    } finally {
      await source.close()
    }
  }

  async #entry(header: EntryHeader, body = ''): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#tar.entry(header, body, (error) => (error ? reject(error) : resolve()))
    })
    await this.#queue.room()
  }

  #miss(path: string, why: string): void {
    if (this.#missing.length < notesLimit) this.#missing.push(`${path}: ${why}`)
  }
}

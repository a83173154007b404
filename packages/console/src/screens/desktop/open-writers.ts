/**
 * Files that a desktop is writing. Browsers keep what is written only when the writer is closed, and copy the whole file
 * when one is opened: so it stays open from piece to piece, until the file is wanted otherwise or nothing comes any more.
 */
interface Writer {
  /** What it has been given is written when this resolves. */
  written: Promise<FileSystemWritableFileStream>
  timer: ReturnType<typeof setTimeout> | undefined
  closing?: Promise<void>
}

/** Milliseconds after the last piece. */
const idle = 400

export class OpenWriters {
  readonly #onLost: (path: string) => void
  readonly #writers = new Map<string, Writer>()

  /** `onLost`: what was written to the path could not be kept. */
  constructor(onLost: (path: string) => void) {
    this.#onLost = onLost
  }

  /** Resolves when the piece is written; it is kept later. */
  async write(path: string, open: () => Promise<FileSystemFileHandle>, position: number, data: Uint8Array): Promise<void> {
    await this.#writers.get(path)?.closing
    let writer = this.#writers.get(path)
    if (!writer) {
      const written = open().then((handle) => handle.createWritable({ keepExistingData: true }))
      writer = { written, timer: undefined }
      this.#writers.set(path, writer)
    }
    clearTimeout(writer.timer)
    writer.written = writer.written.then(async (stream) => {
      await stream.write({ type: 'write', position, data: data as Uint8Array<ArrayBuffer> })
      return stream
    })
    try {
      await writer.written
    } catch (error) {
      if (this.#writers.get(path) === writer) this.#writers.delete(path)
      throw error
    }
    clearTimeout(writer.timer)
    writer.timer = setTimeout(() => void this.#close(path), idle)
  }

  /** Resolves when everything that was written to the path, or below it, is kept or lost. */
  async settle(path: string): Promise<void> {
    const isUnder = (other: string): boolean => path === '' || other === path || other.startsWith(`${path}/`)
    await Promise.all([...this.#writers.keys()].filter(isUnder).map((other) => this.#close(other)))
  }

  #close(path: string): Promise<void> {
    const writer = this.#writers.get(path)
    if (!writer) return Promise.resolve()
    clearTimeout(writer.timer)
    writer.closing ??= writer.written
      .then((stream) => stream.close())
      .catch(() => this.#onLost(path))
      .finally(() => this.#writers.get(path) === writer && this.#writers.delete(path))
      .then(() => undefined)
    return writer.closing
  }
}

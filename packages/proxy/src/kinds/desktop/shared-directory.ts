/** A directory of the person's own machine: their browser is asked for its files, and what is read and written is audited. */
import { encodeFileRequest } from '@sallyport/wire/sockets/shared-directory.ts'
import type { FileAnswer, FileWish, SharedFile } from '@sallyport/wire/sockets/shared-directory.ts'
import type { DesktopLog } from './desktop-log.ts'
import { FileRefusal } from './shared-files.ts'
import type { SharedFiles } from './shared-files.ts'

export interface SharedDirectoryOptions {
  /** As the browser calls it. */
  id: number
  name: string
  send: (message: Uint8Array) => void
  log: Pick<DesktopLog, 'file'>
  /** How long a browser may take for one answer, in milliseconds. */
  patience?: number
}

interface Waiting {
  verb: FileWish['verb']
  settle: (answer: FileAnswer | FileRefusal) => void
}

export class SharedDirectory implements SharedFiles {
  readonly id: number
  readonly name: string
  readonly #options: SharedDirectoryOptions
  readonly #waiting = new Map<number, Waiting>()
  #lastCompletion = 0
  #isOver = false

  constructor(options: SharedDirectoryOptions) {
    this.id = options.id
    this.name = options.name
    this.#options = options
  }

  /** An answer of the browser; one that nobody waits for is passed over. */
  answer(answer: FileAnswer): void {
    const waiting = this.#waiting.get(answer.completion)
    if (waiting?.verb === answer.verb) waiting.settle(answer)
  }

  /** Whoever still waits for something is refused. */
  end(): void {
    this.#isOver = true
    for (const { settle } of this.#waiting.values()) settle(new FileRefusal('cancelled'))
  }

  async info(path: string): Promise<SharedFile | undefined> {
    try {
      return fileOf(await this.#ask({ verb: 'info', path }))
    } catch (error) {
      if (error instanceof FileRefusal && error.code === 'missing') return undefined
      throw error
    }
  }

  async list(path: string): Promise<SharedFile[]> {
    return (await this.#ask({ verb: 'list', path })).files ?? []
  }

  async create(path: string, isDirectory: boolean): Promise<SharedFile> {
    return fileOf(await this.#ask({ verb: 'create', path, isDirectory }))
  }

  async delete(path: string): Promise<void> {
    await this.#ask({ verb: 'delete', path })
  }

  read(path: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#audited('read', { path, offset, length }, async () => {
      const { data = new Uint8Array() } = await this.#ask({ verb: 'read', path, offset, length })
      if (data.length > length) throw new FileRefusal('failed')
      return [data, data.length]
    })
  }

  write(path: string, offset: number, data: Uint8Array): Promise<void> {
    return this.#audited('write', { path, offset, length: data.length }, async () => {
      const { written } = await this.#ask({ verb: 'write', path, offset, data })
      if (written !== data.length) throw new FileRefusal('failed')
      return [undefined, written]
    })
  }

  async move(path: string, to: string): Promise<void> {
    await this.#ask({ verb: 'move', path, to })
  }

  /** The desktop gets to know the outcome when it is written down. */
  async #audited<T>(
    verb: 'read' | 'write',
    at: { path: string; offset: number; length: number },
    act: () => Promise<[T, number]>,
  ): Promise<T> {
    const { id, name, log } = this.#options
    const file = { directory: { id, name }, verb, ...at }
    try {
      const [result, length] = await act()
      await log.file({ ...file, length, hasFailed: false })
      return result
    } catch (error) {
      if (error instanceof FileRefusal) await log.file({ ...file, hasFailed: true })
      throw error
    }
  }

  #ask(wish: FileWish): Promise<FileAnswer> {
    if (this.#isOver) return Promise.reject(new FileRefusal('cancelled'))
    this.#lastCompletion = (this.#lastCompletion % 0xffff_ffff) + 1
    const completion = this.#lastCompletion
    return new Promise((resolve, reject) => {
      const settle = (answer: FileAnswer | FileRefusal): void => {
        clearTimeout(timer)
        this.#waiting.delete(completion)
        if (answer instanceof FileRefusal) reject(answer)
        else if (answer.error === 'none') resolve(answer)
        else reject(new FileRefusal(answer.error))
      }
      const timer = setTimeout(() => settle(new FileRefusal('timeout')), this.#options.patience ?? 60_000)
      this.#waiting.set(completion, { verb: wish.verb, settle })
      this.#options.send(encodeFileRequest({ ...wish, completion, directory: this.#options.id }))
    })
  }
}

function fileOf({ file }: FileAnswer): SharedFile {
  if (!file) throw new FileRefusal('failed')
  return file
}

/** A directory as a console keeps it ready for a desktop: in memory, answering what is asked of it. */
import { decodeFileRequest, encodeFileAnswer } from '@sallyport/wire/sockets/shared-directory.ts'
import type { FileAnswer, FileRequest, SharedFile } from '@sallyport/wire/sockets/shared-directory.ts'

export class SharedFolder {
  /** By path; a directory has no content. */
  readonly files = new Map<string, Buffer | undefined>()
  readonly asked: FileRequest[] = []

  answer(request: FileRequest): FileAnswer {
    this.asked.push(request)
    const base = { verb: request.verb, completion: request.completion, error: 'none' } as const
    const { path } = request
    const isThere = path === '' || this.files.has(path)
    if (request.verb === 'create') {
      if (isThere) return { ...base, error: 'exists' }
      this.files.set(path, request.isDirectory ? undefined : Buffer.alloc(0))
      return { ...base, file: this.#fileAt(path) }
    }
    if (!isThere) return { ...base, error: 'missing' }
    const content = this.files.get(path) ?? Buffer.alloc(0)
    switch (request.verb) {
      case 'info':
        return { ...base, file: this.#fileAt(path) }
      case 'list':
        return { ...base, files: this.#under(path).map((child) => this.#fileAt(child)) }
      case 'delete':
        this.files.delete(path)
        return base
      case 'read':
        return { ...base, data: content.subarray(request.offset, request.offset + request.length) }
      case 'write': {
        const { offset, data } = request
        const larger = Buffer.concat([content, Buffer.alloc(Math.max(0, offset + data.length - content.length))])
        larger.set(data, offset)
        this.files.set(path, larger)
        return { ...base, written: data.length }
      }
      case 'move':
        this.files.set(request.to, this.files.get(path))
        this.files.delete(path)
        return base
    }
  }

  /** Answers the message of a desktop's socket. */
  answerMessage(bytes: Uint8Array): Uint8Array {
    return encodeFileAnswer(this.answer(decodeFileRequest(bytes)))
  }

  #under(path: string): string[] {
    const before = path === '' ? '' : `${path}/`
    return [...this.files.keys()].filter((child) => child.startsWith(before) && !child.slice(before.length).includes('/') && child !== path)
  }

  #fileAt(path: string): SharedFile {
    const isDirectory = path === '' || this.files.get(path) === undefined
    const size = this.files.get(path)?.length ?? 0
    return { path, isDirectory, size, modified: Date.UTC(2026, 0, 2), isEmpty: isDirectory && this.#under(path).length === 0 }
  }
}

/** Files that a desktop reads and writes, wherever they are. Paths are relative, with slashes; the directory itself is ''. */
import type { SharedFile } from '@sallyport/wire/sockets/shared-directory.ts'

export interface SharedFiles {
  /** Undefined when it does not exist. This and all others reject with FileRefusal. */
  info(path: string): Promise<SharedFile | undefined>
  list(path: string): Promise<SharedFile[]>
  create(path: string, isDirectory: boolean): Promise<SharedFile>
  delete(path: string): Promise<void>
  /** At most as many bytes as asked for; fewer at the end of the file. */
  read(path: string, offset: number, length: number): Promise<Uint8Array>
  write(path: string, offset: number, data: Uint8Array): Promise<void>
  move(path: string, to: string): Promise<void>
}

export class FileRefusal extends Error {
  override readonly name = 'FileRefusal'
  readonly code: 'failed' | 'missing' | 'exists' | 'timeout' | 'cancelled'

  constructor(code: FileRefusal['code']) {
    super(`The file could not be used: ${code}.`)
    this.code = code
  }
}

/** What the desktop calls a file, as a path. Undefined for one that would lead out of the directory, or that no file can have. */
export function sharedPath(name: string): string | undefined {
  const parts = name.split(/[\\/]/).filter((part) => part !== '')
  // A colon names a stream beside the file.
  const isWrong = parts.some((part) => part === '.' || part === '..' || part.length > 255 || /[\0:]/.test(part))
  return isWrong || parts.length > 100 ? undefined : parts.join('/')
}

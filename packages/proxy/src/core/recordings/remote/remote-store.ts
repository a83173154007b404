/** Where finished recordings are kept beside, or instead of, this machine. Names are those of the files. */
import type { RandomBytes } from '../random-bytes.ts'

export interface RemoteStore {
  addressOf(name: string): string
  /** Undefined when there is no such object. */
  open(name: string): Promise<RandomBytes | undefined>
  /** A small object at once. */
  read(name: string): Promise<Buffer | undefined>
  /** Resolves when the whole file is stored. What an earlier process began is continued. */
  put(name: string, file: string): Promise<void>
  remove(name: string): Promise<void>
  /** `modified` in epoch milliseconds. */
  list(): AsyncGenerator<{ name: string; modified: number }>
}

/** Bytes that can be read anywhere: a file, or an object of a remote store. */
import { open } from 'node:fs/promises'

export interface RandomBytes extends AsyncDisposable {
  readonly size: number
  /** Exactly `length` bytes, or fewer at the end. */
  readAt(position: number, length: number): Promise<Buffer>
}

/** Rejects as the file system does when there is no such file. */
export async function openFileBytes(path: string): Promise<RandomBytes> {
  await using opened = new AsyncDisposableStack()
  const file = await open(path)
  opened.defer(() => file.close())
  const { size } = await file.stat()
  const closing = opened.move()
  return {
    size,
    async readAt(position, length) {
      const bytes = Buffer.allocUnsafe(length)
      let filled = 0
      while (filled < length) {
        const { bytesRead } = await file.read(bytes, filled, length - filled, position + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return bytes.subarray(0, filled)
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

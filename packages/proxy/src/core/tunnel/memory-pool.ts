/**
 * Large pieces of memory, used again. A fresh Buffer per read or frame is what makes the garbage collector busy when
 * output floods; a piece that is given back costs nothing.
 */
export interface MemoryPool {
  readonly size: number
  take(): Buffer<ArrayBuffer>
  /** The piece must not be touched by its taker any more. */
  giveBack(piece: Buffer<ArrayBuffer>): void
}

/** Pieces of `size` bytes, of which up to `kept` wait for their next use. */
export function createMemoryPool(size: number, kept: number): MemoryPool {
  const free: Buffer<ArrayBuffer>[] = []
  return {
    size,
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(size),
    giveBack(piece) {
      if (free.length < kept) free.push(piece)
    },
  }
}

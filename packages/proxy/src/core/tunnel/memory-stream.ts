import { Duplex } from 'node:stream'

/** Bytes that one end takes before the other has read: a few SSH packets. */
const buffered = 256 * 1024

interface Chunk {
  readonly chunk: Buffer
}

/**
 * Like a socket pair, unlike stream.duplexPair in two ways that protocols written for sockets rely on: what
 * is written arrives in a later turn, never inside the call of write(), and an end that goes away takes the
 * other one with it.
 */
class MemoryEnd extends Duplex {
  peer: MemoryEnd | undefined
  #onRead: (() => void) | undefined

  constructor() {
    super({ allowHalfOpen: false, highWaterMark: buffered })
  }

  override _read(): void {
    const onRead = this.#onRead
    this.#onRead = undefined
    onRead?.()
  }

  override _writev(chunks: Chunk[], callback: (error?: Error | null) => void): void {
    process.nextTick(() => {
      const { peer } = this
      if (!peer || peer.destroyed) return callback(new Error('The other end is closed.'))
      let wantsMore = true
      for (const { chunk } of chunks) wantsMore = peer.push(chunk)
      if (wantsMore) callback()
      else peer.#onRead = callback
    })
  }

  override _final(callback: () => void): void {
    process.nextTick(() => {
      this.peer?.push(null)
      callback()
    })
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    process.nextTick(() => this.peer?.destroy())
    callback(error)
  }
}

/** Two ends of one stream in memory, with backpressure. */
export function memoryStreamPair(): [Duplex, Duplex] {
  const near = new MemoryEnd()
  const far = new MemoryEnd()
  near.peer = far
  far.peer = near
  return [near, far]
}

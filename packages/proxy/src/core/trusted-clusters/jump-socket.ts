/**
 * One end of what a native client of a root has open at a leaf: a socket as a byte stream, with notes beside the bytes.
 * Whoever reads slowly slows the writer, and each direction may end before the other.
 */
import { Duplex } from 'node:stream'
import { jumpNoteWire } from '@sallyport/wire/cluster-link.ts'
import type { JumpNote } from '@sallyport/wire/cluster-link.ts'
import type { WebSocket } from 'ws'

const highWater = 256 * 1024
/** A peer that does not answer the goodbye is cut off. */
const closeTimeout = 2_000

export class JumpSocket extends Duplex {
  readonly #socket: WebSocket
  #gathered: Buffer[] = []
  #size = 0
  #isScheduled = false
  #hasEnded = false
  #waiting: (() => void) | undefined
  readonly #notes: JumpNote[] = []
  #onNote: ((note: JumpNote) => void) | undefined

  constructor(socket: WebSocket) {
    super({ highWaterMark: highWater })
    // What it is joined with, both ways, and whoever waits for its end.
    this.setMaxListeners(20)
    this.#socket = socket
    socket.on('message', (data, isBinary) => {
      if (!(data instanceof Buffer)) return
      if (!isBinary) return this.#takeNote(data)
      if (!this.push(data)) socket.pause()
    })
    socket.on('error', (error) => this.destroy(error))
    socket.once('close', () => {
      this.#waiting?.()
      // What came before the end is still to be read.
      if (this.#hasEnded) this.end()
      else this.destroy()
    })
  }

  tell(note: JumpNote): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(JSON.stringify(note))
  }

  /** From now on they go there; those that came before go first. */
  onNote(take: (note: JumpNote) => void): void {
    this.#onNote = take
    for (const note of this.#notes.splice(0)) take(note)
  }

  #takeNote(data: Buffer): void {
    const parsed = jumpNoteWire.safeParse(asJson(data))
    if (!parsed.success) return void this.destroy(new Error('the other cluster says what is not known here'))
    if (parsed.data.note === 'end') {
      this.#hasEnded = true
      return void this.push(null)
    }
    if (this.#onNote) this.#onNote(parsed.data)
    else if (this.#notes.length < 2) this.#notes.push(parsed.data)
    else this.destroy(new Error('the other cluster says too much'))
  }

  override _read(): void {
    this.#socket.resume()
  }

  /** SSH writes a packet in pieces: what comes in one turn goes out as one frame. */
  override _writev(chunks: { chunk: Buffer }[], callback: () => void): void {
    for (const { chunk } of chunks) {
      this.#gathered.push(chunk)
      this.#size += chunk.length
    }
    if (!this.#isScheduled) {
      this.#isScheduled = true
      setImmediate(() => this.#flush())
    }
    if (this.#size + this.#socket.bufferedAmount < highWater) callback()
    else this.#waiting = callback
  }

  override _final(callback: () => void): void {
    this.#flush()
    this.tell({ note: 'end' })
    callback()
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    const socket = this.#socket
    this.#gathered = []
    // Nobody reads what still comes, and the goodbye of the other side must not wait behind it.
    socket.resume()
    socket.close()
    const timer = setTimeout(() => socket.terminate(), closeTimeout)
    if (socket.readyState === socket.CLOSED) clearTimeout(timer)
    else socket.once('close', () => clearTimeout(timer))
    callback(error)
  }

  #flush(): void {
    this.#isScheduled = false
    if (this.#gathered.length === 0) return
    const bytes = Buffer.concat(this.#gathered)
    this.#gathered = []
    this.#size = 0
    this.#socket.send(bytes, { binary: true }, () => {
      const go = this.#waiting
      if (!go || this.#size + this.#socket.bufferedAmount >= highWater) return
      this.#waiting = undefined
      go()
    })
  }
}

function asJson(data: Buffer): unknown {
  try {
    return JSON.parse(data.toString('utf8'))
  } catch {
    return undefined // refused by whoever reads it
  }
}

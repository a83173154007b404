/** Uploads that outlive the connection they came on: what is there stays, and the rest may follow on another. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { AppError, badParameter, connectionProblem } from '../../../core/errors.ts'
import type { Transfer } from './open-transfer.ts'
import type { RemoteTarget } from './remote-file.ts'
import type { UploadBody } from './request-body.ts'

/** Of one person, without a connection. Each holds a session on a server until it stalls. */
const mostWaiting = 8
const window = 256 * 1024
/** How long one that is done is known, for who did not hear the answer (ms). */
const doneFor = 60_000

/** The file on the server, open from the first byte to the last, whatever happens to connections meanwhile. */
class KeptUpload {
  readonly #bytes = new PassThrough({ highWaterMark: window })
  readonly #size: number
  readonly #transfer: Transfer
  readonly #done: Promise<void>
  #received = 0
  /** Of the connection that brings it now. */
  #feeding = new AbortController()
  isWaiting = false

  constructor(transfer: Transfer, target: RemoteTarget, size: number) {
    this.#transfer = transfer
    this.#size = size
    // Whoever writes it tells of its errors.
    this.#bytes.on('error', () => undefined)
    this.#bytes.once('close', () => this.#feeding.abort())
    const stop = (): void => void this.#bytes.destroy(new Error('the upload was stopped', { cause: transfer.signal.reason }))
    if (transfer.signal.aborted) stop()
    else transfer.signal.addEventListener('abort', stop, { once: true })
    this.#done = this.#write(target)
    // Nobody may be there to hear it.
    this.#done.catch(() => undefined)
    if (size === 0) this.#bytes.end()
  }

  get received(): number {
    return this.#received
  }

  /** Settles when everything is over, with the refusal that it ended with. */
  get done(): Promise<void> {
    return this.#done
  }

  async #write(target: RemoteTarget): Promise<void> {
    try {
      const size = await target.write(this.#bytes)
      await this.#transfer.conclude({ path: target.path, size })
    } catch (error) {
      this.#bytes.destroy()
      await target.discard()
      const refusal = this.#transfer.refusal(error)
      await this.#transfer.conclude({ error: refusal })
      throw refusal
    } finally {
      await this.#transfer.close()
    }
  }

  /**
   * Goes on with a body that begins at `offset` of the file; what is there already is skipped, since browsers send a body
   * again from its beginning when a connection breaks early. Resolves when the whole file is there and told of.
   */
  async take(body: UploadBody, offset: number): Promise<void> {
    if (offset > this.#received) throw badParameter(`offset must be at most ${this.#received}, which is what came so far`)
    this.#feeding.abort()
    const feeding = new AbortController()
    this.#feeding = feeding
    this.isWaiting = false
    try {
      if (!this.#bytes.destroyed) await this.#feed(body.bytes(feeding.signal, this.#transfer.progress), offset, feeding.signal)
    } catch (error) {
      if (error instanceof AppError) throw error
      // Why the writing ended is told below; anything else is the connection.
      if (!this.#bytes.destroyed) throw connectionProblem('the connection broke; what came is kept for the rest', { cause: error })
    } finally {
      if (this.#feeding === feeding) this.isWaiting = !this.#bytes.destroyed && this.#received < this.#size
    }
    if (!this.#bytes.destroyed && this.#received < this.#size)
      throw connectionProblem(`${this.#received} of ${this.#size} bytes are there; send the rest`)
    await this.#done
  }

  async #feed(pieces: AsyncIterable<Buffer>, offset: number, signal: AbortSignal): Promise<void> {
    let known = this.#received - offset
    for await (const piece of pieces) {
      if (signal.aborted) return
      const fresh = piece.subarray(Math.min(known, piece.length))
      known -= piece.length - fresh.length
      if (this.#received + fresh.length > this.#size) throw badParameter(`the file is longer than its size of ${this.#size} bytes`)
      this.#received += fresh.length
      if (fresh.length > 0 && !this.#bytes.write(fresh)) await once(this.#bytes, 'drain', { signal })
    }
    if (this.#received === this.#size) this.#bytes.end()
  }
}

export interface Opened {
  readonly transfer: Transfer
  readonly target: RemoteTarget
}

interface Known {
  readonly owner: string
  /** Aborts its transfer. */
  readonly giveUp: AbortController
  readonly upload: Promise<KeptUpload>
  opened: KeptUpload | undefined
}

/** By the name that its client made up, and what else its address holds: nobody comes by another's. */
export class KeptUploads {
  readonly #known = new Map<string, Known>()

  /** Undefined when there is none. Rejects with what refused it. */
  async received(key: string): Promise<number | undefined> {
    return (await this.#known.get(key)?.upload)?.received
  }

  /** Ends it. Resolves when what came of it is taken away; with false when there is none. */
  async drop(key: string): Promise<boolean> {
    const known = this.#known.get(key)
    known?.giveUp.abort()
    // How it ended was told to whoever sent it.
    await known?.upload.then(({ done }) => done).catch(() => undefined)
    return known !== undefined
  }

  /** `open`: begins it, unless it has begun. Throws where `offset` shows that it should have. */
  async take(
    { key, owner, offset, size }: { key: string; owner: string; offset: number; size: number },
    body: UploadBody,
    open: (gone: AbortSignal) => Promise<Opened>,
  ): Promise<void> {
    const known = this.#known.get(key)
    if (!known && offset > 0) throw badParameter('nothing is kept of this upload; send it from its beginning')
    const { upload } = known ?? this.#begin(key, owner, size, open)
    try {
      await (await upload).take(body, offset)
    } finally {
      this.#limit(owner)
    }
  }

  #begin(key: string, owner: string, size: number, open: (gone: AbortSignal) => Promise<Opened>): Known {
    const giveUp = new AbortController()
    const upload = open(giveUp.signal).then(({ transfer, target }) => new KeptUpload(transfer, target, size))
    const known: Known = { owner, giveUp, upload, opened: undefined }
    this.#known.set(key, known)
    const forget = (): void => void this.#known.delete(key)
    upload.then((opened) => {
      known.opened = opened
      opened.done.then(() => setTimeout(forget, doneFor).unref(), forget)
    }, forget)
    return known
  }

  #limit(owner: string): void {
    const waiting = this.#known.values().filter((known) => known.owner === owner && known.opened?.isWaiting === true)
    for (const { giveUp } of [...waiting].slice(0, -mostWaiting)) giveUp.abort()
  }
}

/**
 * Turns what a desktop draws into pictures for the browser and the recording. A picture is only made when both can take
 * it: to whoever is slow the desktop moves in larger steps, and no memory grows.
 */
import { encodeDesktopSize } from '@sallyport/wire/sockets/desktop.ts'
import type { Painter } from './painter.ts'

export interface FramePumpOptions {
  /** The pump's own: it is closed when the pump is stopped. */
  painter: Painter
  /** One message to the browser and into the recording. */
  send: (message: Uint8Array) => void
  /** Resolves when the next pictures can be taken. */
  roomy: () => Promise<void>
  /** The whole picture, for the recording alone. */
  onKeyFrame: (messages: readonly Uint8Array[]) => void
  /** Whether key frames are wanted. */
  withKeyFrames: boolean
  onFailure: (error: unknown) => void
  now?: () => number
}

/** Drawing that comes within so many milliseconds is one picture. */
const gather = 12
/** A player jumps back by no more than this, in milliseconds of drawing. */
const keyFrameEvery = 10_000

export class FramePump {
  readonly #options: FramePumpOptions
  readonly #now: () => number
  #size = { width: 0, height: 0 }
  #updates: Buffer[] = []
  #isDirty = false
  #isRunning = false
  #isStopped = false
  #keyFrameAt: number
  #idle: Promise<void> = Promise.resolve()

  constructor(options: FramePumpOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#keyFrameAt = this.#now()
  }

  size(width: number, height: number): void {
    this.#updates = []
    this.#size = { width, height }
    this.#options.painter.size(width, height)
    this.#options.send(encodeDesktopSize(width, height))
  }

  /** A bitmap update; it is drawn with the next flush. */
  draw(update: Buffer): void {
    this.#updates.push(update)
  }

  /** Resolves when the desktop may send more. Rejects with ProtocolError for updates that are none. */
  async flush(): Promise<void> {
    if (this.#updates.length === 0 || this.#isStopped) return
    const updates = this.#updates
    this.#updates = []
    this.#isDirty = true
    const drawn = this.#options.painter.draw(updates)
    if (!this.#isRunning) {
      this.#isRunning = true
      this.#idle = this.#run().catch((error: unknown) => this.#options.onFailure(error))
    }
    await drawn
  }

  /** Resolves when nothing is being sent any more. What was drawn last is still sent. */
  async stop(): Promise<void> {
    await this.flush().catch((error: unknown) => this.#options.onFailure(error))
    await this.#idle
    this.#isStopped = true
    this.#options.painter[Symbol.dispose]()
  }

  async #run(): Promise<void> {
    const { painter, roomy, send, onKeyFrame, withKeyFrames } = this.#options
    try {
      while (this.#isDirty) {
        await new Promise((resolve) => setTimeout(resolve, gather))
        await roomy()
        this.#isDirty = false
        const size = this.#size
        // Pictures of a screen that has another size now are nobody's.
        for (const message of await painter.take()) if (size === this.#size) send(message)
        if (!withKeyFrames || this.#now() - this.#keyFrameAt < keyFrameEvery || size !== this.#size) continue
        this.#keyFrameAt = this.#now()
        const whole = await painter.whole()
        if (size === this.#size) onKeyFrame([encodeDesktopSize(size.width, size.height), ...whole])
      }
    } finally {
      this.#isRunning = false
    }
  }
}

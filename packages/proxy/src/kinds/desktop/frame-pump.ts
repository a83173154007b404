/**
 * Turns what a desktop draws into pictures for the browser and the recording. A picture is only made when both can take
 * it: to whoever is slow the desktop moves in larger steps, and no memory grows.
 */
import type { Picture } from '@sallyport/protocols/rdp/bitmaps.ts'
import { encodeDesktopSize, encodePicture } from '@sallyport/wire/sockets/desktop.ts'
import { encodePng } from './png.ts'
import { Screen } from './screen.ts'
import type { Rectangle } from './screen.ts'

export interface FramePumpOptions {
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
  #screen: Screen | undefined
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
    this.#screen = new Screen(width, height)
    this.#options.send(encodeDesktopSize(width, height))
  }

  draw(picture: Picture): void {
    this.#screen?.draw(picture)
    if (this.#isRunning || this.#isStopped) return
    this.#isRunning = true
    this.#idle = this.#run().catch((error: unknown) => this.#options.onFailure(error))
  }

  /** Resolves when nothing is being sent any more. What was drawn last is still sent. */
  async stop(): Promise<void> {
    await this.#idle
    this.#isStopped = true
  }

  async #run(): Promise<void> {
    try {
      while (this.#screen?.isDirty) {
        await new Promise((resolve) => setTimeout(resolve, gather))
        await this.#options.roomy()
        const screen: Screen = this.#screen
        for (const message of await messagesOf(screen, screen.take())) if (screen === this.#screen) this.#options.send(message)
        if (this.#options.withKeyFrames && this.#now() - this.#keyFrameAt >= keyFrameEvery && screen === this.#screen) {
          this.#keyFrameAt = this.#now()
          const size = encodeDesktopSize(screen.width, screen.height)
          this.#options.onKeyFrame([size, ...(await messagesOf(screen, screen.whole()))])
        }
      }
    } finally {
      this.#isRunning = false
    }
  }
}

const messagesOf = (screen: Screen, rectangles: readonly Rectangle[]): Promise<Uint8Array[]> =>
  Promise.all(
    rectangles.map(async (rectangle) => {
      const { left, top, width, height } = rectangle
      const png = await encodePng(width, height, screen.rowsOf(rectangle))
      return encodePicture({ left, top, right: left + width, bottom: top + height }, png)
    }),
  )

/** Paints the pictures of a desktop on a canvas, in the order in which they came. */
import type { ToConsole } from '@sallyport/wire/sockets/desktop.ts'

export interface ScreenSize {
  width: number
  height: number
}

export interface DesktopCanvasOptions {
  /** The first picture is on the screen, or one after the screen changed its size. */
  onShown?: () => void
  onSize: (size: ScreenSize) => void
}

export class DesktopCanvas {
  readonly #options: DesktopCanvasOptions
  readonly #context: CanvasRenderingContext2D
  #painting: Promise<void> = Promise.resolve()
  #isStopped = false

  /** Throws where the browser has no canvas to paint on. */
  constructor(canvas: HTMLCanvasElement, options: DesktopCanvasOptions) {
    const context = canvas.getContext('2d', { alpha: false })
    if (!context) throw new Error('This browser cannot paint on a canvas.')
    this.#context = context
    this.#options = options
  }

  /** Resolves when it is on the screen. Other messages are passed over. */
  take(message: ToConsole): Promise<void> {
    if (message.kind === 'size') return this.#next(() => this.#resize(message))
    if (message.kind !== 'picture') return this.#painting
    const { left, top, right, bottom, png } = message
    // Decoding goes on beside painting; a picture that cannot be read leaves its place as it was.
    const bitmap = createImageBitmap(new Blob([png as Uint8Array<ArrayBuffer>], { type: 'image/png' })).catch(() => undefined)
    return this.#next(async () => {
      const image = await bitmap
      if (!image || this.#isStopped) return
      const { canvas } = this.#context
      // Proxies that tell no size send a whole picture first.
      if (right > canvas.width || bottom > canvas.height)
        this.#resize({ width: Math.max(right, canvas.width), height: Math.max(bottom, canvas.height) })
      this.#context.drawImage(image, left, top)
      image.close()
      this.#options.onShown?.()
    })
  }

  stop(): void {
    this.#isStopped = true
  }

  #resize({ width, height }: ScreenSize): void {
    const { canvas } = this.#context
    if (canvas.width === width && canvas.height === height) return
    canvas.width = width
    canvas.height = height
    this.#options.onSize({ width, height })
  }

  #next(act: () => void | Promise<void>): Promise<void> {
    this.#painting = this.#painting.then(act)
    return this.#painting
  }
}

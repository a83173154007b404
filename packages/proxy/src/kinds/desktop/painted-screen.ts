/** A desktop's picture, drawn as the desktop says and told as a browser wants it. It does all its work at once: it lives in a thread. */
import { readBitmaps } from '@sallyport/protocols/rdp/bitmaps.ts'
import { encodePicture } from '@sallyport/wire/sockets/desktop.ts'
import { encodePng } from './png.ts'
import { Screen } from './screen.ts'
import type { Rectangle } from './screen.ts'

export class PaintedScreen {
  readonly #screen: Screen

  constructor(width: number, height: number) {
    this.#screen = new Screen(width, height)
  }

  /** A bitmap update of RDP. Throws ProtocolError. */
  draw(update: Buffer): void {
    for (const picture of readBitmaps(update)) this.#screen.draw(picture)
  }

  /** Messages with what was drawn since the last time. */
  take(): Uint8Array<ArrayBuffer>[] {
    return this.#screen.take().map((rectangle) => this.#messageOf(rectangle))
  }

  whole(): Uint8Array<ArrayBuffer>[] {
    return this.#screen.whole().map((rectangle) => this.#messageOf(rectangle))
  }

  #messageOf(rectangle: Rectangle): Uint8Array<ArrayBuffer> {
    const { left, top, width, height } = rectangle
    const png = encodePng(width, height, this.#screen.rowsOf(rectangle))
    return encodePicture({ left, top, right: left + width, bottom: top + height }, png)
  }
}

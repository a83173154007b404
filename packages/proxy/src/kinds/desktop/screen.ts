/**
 * The picture of a desktop as it is now, and which parts of it nobody has taken yet. However much the desktop draws,
 * whoever takes slowly takes less often: memory holds one picture.
 */
import type { Picture } from '@sallyport/protocols/rdp/bitmaps.ts'

export interface Rectangle {
  left: number
  top: number
  width: number
  height: number
}

const tile = 64
/** Pixels of a rectangle that is handed out: several are compressed at the same time. */
const areaLimit = 512 * 1024

export class Screen {
  readonly width: number
  readonly height: number
  readonly #pixels: Uint8Array
  /** The same, a pixel in each. */
  readonly #words: Uint32Array
  readonly #columns: number
  readonly #dirty: Uint8Array
  #dirtyCount = 0

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#pixels = new Uint8Array(width * height * 4)
    this.#words = new Uint32Array(this.#pixels.buffer)
    this.#columns = Math.ceil(width / tile)
    this.#dirty = new Uint8Array(this.#columns * Math.ceil(height / tile))
  }

  get isDirty(): boolean {
    return this.#dirtyCount > 0
  }

  /** Tiles in which nothing changes stay as they are: some desktops draw the same again and again. */
  draw({ left, top, width, height, stride, rgba }: Picture): void {
    const [right, bottom] = [Math.min(left + width, this.width), Math.min(top + height, this.height)]
    if (right <= left || bottom <= top) return
    const source = new Uint32Array(rgba.buffer, rgba.byteOffset, rgba.length >> 2)
    for (let tileTop = top - (top % tile); tileTop < bottom; tileTop += tile)
      for (let tileLeft = left - (left % tile); tileLeft < right; tileLeft += tile) {
        const index = (tileTop / tile) * this.#columns + tileLeft / tile
        const from = Math.max(left, tileLeft)
        const to = Math.min(right, tileLeft + tile)
        let hasChanged = false
        for (let y = Math.max(top, tileTop); y < Math.min(bottom, tileTop + tile); y += 1) {
          let at = (y - top) * stride + from - left
          let place = y * this.width + from
          for (const end = y * this.width + to; place < end; place += 1, at += 1) {
            const pixel = source[at] ?? 0
            if (this.#words[place] === pixel) continue
            this.#words[place] = pixel
            hasChanged = true
          }
        }
        if (!hasChanged || this.#dirty[index] === 1) continue
        this.#dirty[index] = 1
        this.#dirtyCount += 1
      }
  }

  /** What was drawn since the last time, as few rectangles. */
  take(): Rectangle[] {
    const rectangles: Rectangle[] = []
    const rows = this.#dirty.length / this.#columns
    for (let y = 0; y < rows; y += 1)
      for (let x = 0; x < this.#columns; x += 1) if (this.#dirty[y * this.#columns + x]) rectangles.push(this.#grow(x, y, rows))
    this.#dirtyCount = 0
    return rectangles
  }

  /** The whole picture, in rectangles as `take` gives them. */
  whole(): Rectangle[] {
    const height = Math.max(tile, Math.floor(areaLimit / this.width / tile) * tile)
    const count = Math.ceil(this.height / height)
    return Array.from({ length: count }, (_, index) => {
      const top = index * height
      return { left: 0, top, width: this.width, height: Math.min(height, this.height - top) }
    })
  }

  /** Its pixels as PNG wants them: a zero before each row, three bytes per pixel. */
  rowsOf({ left, top, width, height }: Rectangle): Uint8Array {
    const rows = new Uint8Array((width * 3 + 1) * height)
    const pixels = this.#pixels
    let to = 0
    for (let y = top; y < top + height; y += 1) {
      to += 1
      let from = (y * this.width + left) * 4
      for (let x = 0; x < width; x += 1) {
        rows[to] = pixels[from] ?? 0
        rows[to + 1] = pixels[from + 1] ?? 0
        rows[to + 2] = pixels[from + 2] ?? 0
        from += 4
        to += 3
      }
    }
    return rows
  }

  /** From a tile on to the right as far as its neighbours are dirty, then down as far as the whole row of them is. */
  #grow(x: number, y: number, rows: number): Rectangle {
    const isDirty = (column: number, row: number): boolean => this.#dirty[row * this.#columns + column] === 1
    let right = x + 1
    while (right < this.#columns && isDirty(right, y)) right += 1
    const columns = Array.from({ length: right - x }, (_, index) => x + index)
    let bottom = y
    const isFull = (): boolean => (right - x) * (bottom + 1 - y) * tile * tile > areaLimit
    do {
      for (const column of columns) this.#dirty[bottom * this.#columns + column] = 0
      bottom += 1
    } while (bottom < rows && !isFull() && columns.every((column) => isDirty(column, bottom)))
    const [left, top] = [x * tile, y * tile]
    return { left, top, width: Math.min(right * tile, this.width) - left, height: Math.min(bottom * tile, this.height) - top }
  }
}

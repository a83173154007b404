/** Bitmap updates: rectangles of pixels, turned into RGBA with the first row on top. */
import { RdpReader } from './bytes.ts'
import { decodeInterleaved } from './interleaved.ts'
import { decodePlanar } from './planar.ts'

export interface Picture {
  left: number
  top: number
  /** Columns that are shown; `stride` of them lie in memory per row. */
  width: number
  height: number
  stride: number
  /** Four bytes per pixel, opaque. */
  rgba: Uint8Array
}

const bitmapUpdate = 1
const flags = { compressed: 0x0001, noHeader: 0x0400 } as const
const sideLimit = 8192
/** Pixels of one rectangle: a screen of the largest size that is asked for. */
const areaLimit = 16 * 1024 * 1024

/** The rectangles of an update, as the fast path and the slow one have them. Throws ProtocolError. */
export function* readBitmaps(body: Buffer): Generator<Picture> {
  const reader = new RdpReader(body, 'picture')
  if (reader.u16() !== bitmapUpdate) return
  for (let count = reader.u16(); count > 0; count -= 1) {
    const [left, top, right, bottom] = [reader.u16(), reader.u16(), reader.u16(), reader.u16()]
    const [stride, rows, bits, flagBits, length] = [reader.u16(), reader.u16(), reader.u16(), reader.u16(), reader.u16()]
    const data = reader.take(length)
    const [width, height] = [right - left + 1, bottom - top + 1]
    const fits = width >= 1 && height >= 1 && width <= stride && height <= rows && stride <= sideLimit && rows <= sideLimit
    if (!fits || stride * rows > areaLimit) throw reader.malformed('a rectangle is impossible')
    const isCompressed = (flagBits & flags.compressed) !== 0
    const content = isCompressed && (flagBits & flags.noHeader) === 0 ? data.subarray(8) : data
    const rgba = isCompressed ? decompress(content, stride, rows, bits, reader) : unpack(content, stride, rows, bits, reader)
    // Rows above the rectangle's own are padding, and so they are last: the bottom row comes first.
    yield { left, top, width, height, stride, rgba: rgba.subarray((rows - height) * stride * 4) }
  }
}

function decompress(data: Buffer, width: number, height: number, bits: number, reader: RdpReader): Uint8Array {
  if (bits === 32) {
    const { red, green, blue } = decodePlanar(data, width, height)
    const rgba = new Uint8Array(width * height * 4)
    const words = new Uint32Array(rgba.buffer)
    for (let y = 0, from = 0; y < height; y += 1) {
      const end = (height - y) * width
      for (let to = end - width; to < end; to += 1, from += 1)
        words[to] = 0xff00_0000 | (red[from] ?? 0) | ((green[from] ?? 0) << 8) | ((blue[from] ?? 0) << 16)
    }
    return rgba
  }
  const bytesPerPixel = bits === 24 ? 3 : bits === 16 || bits === 15 ? 2 : undefined
  if (!bytesPerPixel) throw reader.malformed(`${bits} bits per pixel were not asked for`)
  const pixels = decodeInterleaved(data, width, height, bytesPerPixel)
  return flipped(width, height, (from) => toRgb(pixels[from] ?? 0, bits))
}

function unpack(data: Buffer, width: number, height: number, bits: number, reader: RdpReader): Uint8Array {
  const bytes = bits === 32 ? 4 : bits === 24 ? 3 : bits === 16 || bits === 15 ? 2 : undefined
  if (!bytes) throw reader.malformed(`${bits} bits per pixel were not asked for`)
  // Rows are padded to four bytes.
  const row = Math.ceil((width * bytes) / 4) * 4
  if (data.length < row * height) throw reader.malformed('it ends early')
  return flipped(width, height, (_from, x, y) => toRgb(data.readUIntLE(y * row + x * bytes, bytes), bits))
}

/** `pixel` gives red in the lowest byte; it is asked for the pixels from the bottom row up. */
function flipped(width: number, height: number, pixel: (from: number, x: number, y: number) => number): Uint8Array {
  const rgba = new Uint8Array(width * height * 4)
  const words = new Uint32Array(rgba.buffer)
  let from = 0
  for (let y = 0; y < height; y += 1) {
    let to = (height - 1 - y) * width
    for (let x = 0; x < width; x += 1) {
      words[to] = (pixel(from, x, y) | 0xff00_0000) >>> 0
      to += 1
      from += 1
    }
  }
  return rgba
}

/** Red in the lowest byte, as memory has it on every machine that Node runs on. */
function toRgb(value: number, bits: number): number {
  if (bits >= 24) return ((value & 0xff) << 16) | (value & 0xff00) | ((value >> 16) & 0xff)
  const widen = (part: number, from: 5 | 6): number => ((part << (8 - from)) | (part >> (2 * from - 8))) & 0xff
  const red = widen((value >> (bits === 16 ? 11 : 10)) & 0x1f, 5)
  const green = bits === 16 ? widen((value >> 5) & 0x3f, 6) : widen((value >> 5) & 0x1f, 5)
  return red | (green << 8) | (widen(value & 0x1f, 5) << 16)
}

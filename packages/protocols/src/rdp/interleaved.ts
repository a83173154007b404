/**
 * The run-length code of bitmaps with 8, 15, 16 and 24 bits per pixel ("interleaved RLE", MS-RDPBCGR 2.2.9.1.1.3.1.2.4):
 * orders that each say how the next pixels follow from the row below, rows from the bottom up.
 */
import { ProtocolError } from '../protocol-error.ts'

/** Kinds of order, whatever the form that says the length. */
const orders = { background: 0, foreground: 1, mask: 2, colour: 3, copy: 4, setForeground: 6, setMask: 7, dither: 8 } as const
type Order = (typeof orders)[keyof typeof orders]
const regular: readonly (Order | undefined)[] = [orders.background, orders.foreground, orders.mask, orders.colour, orders.copy]
const lite: Readonly<Record<number, Order>> = { 0xc: orders.setForeground, 0xd: orders.setMask, 0xe: orders.dither }
const long: Readonly<Record<number, Order>> = {
  0xf0: orders.background,
  0xf1: orders.foreground,
  0xf2: orders.mask,
  0xf3: orders.colour,
  0xf4: orders.copy,
  0xf6: orders.setForeground,
  0xf7: orders.setMask,
  0xf8: orders.dither,
}
const special = { mask3: 0xf9, mask5: 0xfa, white: 0xfd, black: 0xfe } as const

const malformed = (): ProtocolError => new ProtocolError('rdp/malformed', 'A bitmap of the desktop is malformed.')

/** Pixels as the desktop has them, first row at the bottom. Throws ProtocolError when they are not exactly as many as promised. */
export function decodeInterleaved(data: Buffer, width: number, height: number, bytesPerPixel: 1 | 2 | 3): Uint32Array {
  const total = width * height
  const pixels = new Uint32Array(total)
  let read = 0
  let at = 0
  let foreground = bytesPerPixel === 1 ? 0xff : bytesPerPixel === 2 ? 0xffff : 0xff_ffff
  const white = foreground
  let afterBackground = false
  let inFirstRow = true

  const byte = (): number => {
    const value = data[read]
    if (value === undefined) throw malformed()
    read += 1
    return value
  }
  const pixel = (): number => {
    if (read + bytesPerPixel > data.length) throw malformed()
    const value = data.readUIntLE(read, bytesPerPixel)
    read += bytesPerPixel
    return value
  }
  const below = (): number => (inFirstRow ? 0 : (pixels[at - width] ?? 0))
  const requireRoom = (count: number): void => {
    if (at + count > total) throw malformed()
  }
  const masked = (mask: number, count: number): void => {
    for (let bit = 0; bit < count; bit += 1) {
      pixels[at] = below() ^ ((mask >> bit) & 1 ? foreground : 0)
      at += 1
    }
  }

  while (read < data.length) {
    if (inFirstRow && at >= width) {
      inFirstRow = false
      afterBackground = false
    }
    const header = byte()
    if (header >= special.mask3 || header === 0xf5) {
      afterBackground = false
      if (header === special.mask3 || header === special.mask5) {
        requireRoom(8)
        masked(header === special.mask3 ? 3 : 5, 8)
      } else if (header === special.white || header === special.black) {
        requireRoom(1)
        pixels[at] = header === special.white ? white : 0
        at += 1
      } else throw malformed()
      continue
    }
    const { order, length } = readOrder(header, byte)
    if (order === orders.setForeground || order === orders.setMask) foreground = pixel()
    requireRoom(order === orders.dither ? length * 2 : length)
    const isBackground = order === orders.background
    switch (order) {
      case orders.background:
        for (let index = 0; index < length; index += 1) {
          // Two runs of background in a row mean one pixel of foreground between them.
          pixels[at] = index === 0 && afterBackground ? below() ^ foreground : below()
          at += 1
        }
        break
      case orders.foreground:
      case orders.setForeground:
        for (let index = 0; index < length; index += 1) {
          pixels[at] = below() ^ foreground
          at += 1
        }
        break
      case orders.mask:
      case orders.setMask:
        for (let rest = length; rest > 0; rest -= 8) masked(byte(), Math.min(8, rest))
        break
      case orders.colour:
        pixels.fill(pixel(), at, at + length)
        at += length
        break
      case orders.copy:
        for (let index = 0; index < length; index += 1) {
          pixels[at] = pixel()
          at += 1
        }
        break
      case orders.dither: {
        const [one, two] = [pixel(), pixel()]
        for (let index = 0; index < length * 2; index += 1) {
          pixels[at] = index % 2 === 0 ? one : two
          at += 1
        }
        break
      }
    }
    afterBackground = isBackground
  }
  if (at !== total) throw malformed()
  return pixels
}

function readOrder(header: number, byte: () => number): { order: Order; length: number } {
  if (header >= 0xf0) {
    const order = long[header]
    if (order === undefined) throw malformed()
    const low = byte()
    return { order, length: low | (byte() << 8) }
  }
  const isLite = header >= 0xc0
  const order = isLite ? lite[header >> 4] : regular[header >> 5]
  if (order === undefined) throw malformed()
  const short = header & (isLite ? 0x0f : 0x1f)
  if (order === orders.mask || order === orders.setMask) return { order, length: short === 0 ? byte() + 1 : short * 8 }
  return { order, length: short === 0 ? byte() + (isLite ? 16 : 32) : short }
}

/** What client and server can do, told at the start and again whenever the screen changes its size. */
import { RdpReader, u16, u32 } from './bytes.ts'

export interface DemandActive {
  shareId: number
  width: number
  height: number
  bitsPerPixel: number
}

const setTypes = {
  general: 1,
  bitmap: 2,
  order: 3,
  bitmapCache: 4,
  control: 5,
  activation: 7,
  pointer: 8,
  share: 9,
  colourCache: 10,
  sound: 12,
  input: 13,
  font: 14,
  brush: 15,
  glyphCache: 16,
  offscreenCache: 17,
  virtualChannel: 20,
  multifragment: 26,
} as const

/** Without the header that all control messages share. Throws ProtocolError. */
export function parseDemandActive(body: Buffer): DemandActive {
  const reader = new RdpReader(body, 'offer of the desktop')
  const shareId = reader.u32()
  const source = reader.u16()
  const sets = new RdpReader(reader.skip(2 + source).rest(), 'offer of the desktop')
  const count = sets.u16()
  sets.skip(2)
  for (let index = 0; index < count && sets.remaining >= 4; index += 1) {
    const type = sets.u16()
    const content = new RdpReader(sets.take(Math.max(0, sets.u16() - 4)), 'offer of the desktop')
    if (type !== setTypes.bitmap) continue
    const bitsPerPixel = content.u16()
    const width = content.skip(6).u16()
    return { shareId, width, height: content.u16(), bitsPerPixel }
  }
  throw reader.malformed('it names no screen')
}

const set = (type: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(type, body.length + 4), body])
}

/** Bytes of a message that comes in fragments. */
export const multifragmentLimit = 1024 * 1024
const keyboard = { type: 4, subType: 0, functionKeys: 12 } as const

/**
 * The answer asks for pictures and nothing else: no drawing orders, no caches, no codecs but the two that bitmaps
 * always come in. That is what every server can do, and everything else stays on the other side of the decoder.
 */
export function encodeConfirmActive({ shareId, width, height, bitsPerPixel }: DemandActive, keyboardLayout: number): Buffer {
  const sets = [
    // Output on the fast path, long credentials, no headers before compressed bitmaps; refresh and suppress output.
    set(setTypes.general, u16(1, 3, 0x0200, 0, 0, 0x0405, 0, 0, 0), Buffer.from([1, 1])),
    // Bitmaps of 32 bits come without loss: neither fewer bits nor fewer colours.
    set(setTypes.bitmap, u16(bitsPerPixel, 1, 1, 1, width, height, 0, 1, 1), Buffer.from([0, 0x08]), u16(1, 0)),
    set(setTypes.order, Buffer.alloc(20), u16(1, 20, 0, 1, 0, 0x2a), Buffer.alloc(32), u16(0, 0), u32(0, 0), u16(0, 0, 0, 0)),
    set(setTypes.bitmapCache, Buffer.alloc(36)),
    set(setTypes.control, u16(0, 0, 2, 2)),
    set(setTypes.activation, u16(0, 0, 0, 0)),
    set(setTypes.pointer, u16(1, 20, 20)),
    set(setTypes.share, u16(0, 0)),
    set(setTypes.colourCache, u16(6, 0)),
    set(setTypes.sound, u16(0, 0)),
    // Scancodes, mouse with five buttons, fast path, Unicode, second wheel.
    set(setTypes.input, u16(0x013d, 0), u32(keyboardLayout, keyboard.type, keyboard.subType, keyboard.functionKeys), Buffer.alloc(64)),
    set(setTypes.font, u16(1, 0)),
    set(setTypes.brush, u32(0)),
    set(setTypes.glyphCache, Buffer.alloc(48)),
    set(setTypes.offscreenCache, Buffer.alloc(8)),
    set(setTypes.virtualChannel, u32(0, 1600)),
    set(setTypes.multifragment, u32(multifragmentLimit)),
  ]
  const source = Buffer.from('SALLY\0')
  const all = Buffer.concat([u16(sets.length, 0), ...sets])
  return Buffer.concat([u32(shareId), u16(0x03ea, source.length, all.length), source, all])
}

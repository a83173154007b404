/** The fast path: pictures from the desktop, keys and pointer to it. */
import { RdpReader, u16 } from './bytes.ts'
import { multifragmentLimit } from './capabilities.ts'

export type Update = { kind: 'bitmap'; body: Buffer } | { kind: 'other' }

const updateCodes = { bitmap: 1 } as const
const fragments = { single: 0, last: 1, first: 2, next: 3 } as const

/** Puts updates together that come in fragments. Throws ProtocolError. */
export class UpdateReader {
  #pieces: Buffer[] = []
  #length = 0

  read(body: Buffer): Update[] {
    const updates: Update[] = []
    const reader = new RdpReader(body, 'picture')
    while (reader.remaining >= 3) {
      const header = reader.u8()
      const isCompressed = header >> 6 === 2 && (reader.u8() & 0x20) !== 0
      const data = reader.take(reader.u16())
      if (isCompressed) throw reader.malformed('it is compressed, which nobody asked for')
      const whole = this.#whole((header >> 4) & 3, data, reader)
      if (whole) updates.push((header & 0x0f) === updateCodes.bitmap ? { kind: 'bitmap', body: whole } : { kind: 'other' })
    }
    return updates
  }

  #whole(fragment: number, data: Buffer, reader: RdpReader): Buffer | undefined {
    if (fragment === fragments.single) return data
    if (fragment === fragments.first) {
      this.#pieces = []
      this.#length = 0
    }
    // The packet's memory is the network's; it is kept until the last fragment.
    this.#pieces.push(Buffer.from(data))
    this.#length += data.length
    if (this.#length > multifragmentLimit) throw reader.malformed('it is larger than what was agreed on')
    if (fragment !== fragments.last) return undefined
    const whole = Buffer.concat(this.#pieces)
    this.#pieces = []
    return whole
  }
}

export interface LockKeys {
  scroll: boolean
  num: boolean
  caps: boolean
}

export type InputEvent =
  /** A code of set 1; extended keys are 0xE0xx. */
  | { kind: 'key'; scancode: number; isDown: boolean }
  | { kind: 'move'; x: number; y: number }
  | { kind: 'button'; button: 'left' | 'middle' | 'right'; isDown: boolean; x: number; y: number }
  /** Up and left are positive; a notch is 120. */
  | { kind: 'wheel'; axis: 'vertical' | 'horizontal'; delta: number; x: number; y: number }
  | { kind: 'locks'; locks: LockKeys }

const eventCodes = { key: 0, mouse: 1, sync: 3 } as const
const keyFlags = { release: 1, extended: 2 } as const
const pointerFlags = { horizontal: 0x0400, wheel: 0x0200, move: 0x0800, down: 0x8000 } as const
const buttonFlags = { left: 0x1000, right: 0x2000, middle: 0x4000 } as const

/** One event as one packet. */
export function encodeInput(event: InputEvent): Buffer {
  const body = encodeEvent(event)
  return Buffer.concat([Buffer.from([1 << 2, body.length + 2]), body])
}

function encodeEvent(event: InputEvent): Buffer {
  switch (event.kind) {
    case 'key': {
      const isExtended = (event.scancode & 0xff00) === 0xe000
      const flags = (event.isDown ? 0 : keyFlags.release) | (isExtended ? keyFlags.extended : 0)
      return Buffer.from([(eventCodes.key << 5) | flags, event.scancode & 0xff])
    }
    case 'move':
      return mouse(pointerFlags.move, event)
    case 'button':
      return mouse(buttonFlags[event.button] | (event.isDown ? pointerFlags.down : 0), event)
    case 'wheel': {
      const delta = Math.max(-0xff, Math.min(0xff, Math.round(event.delta)))
      // Nine bits with a sign.
      return mouse((event.axis === 'vertical' ? pointerFlags.wheel : pointerFlags.horizontal) | (delta & 0x1ff), event)
    }
    case 'locks':
      return Buffer.from([(eventCodes.sync << 5) | (event.locks.scroll ? 1 : 0) | (event.locks.num ? 2 : 0) | (event.locks.caps ? 4 : 0)])
  }
}

const mouse = (flags: number, { x, y }: { x: number; y: number }): Buffer =>
  Buffer.concat([Buffer.from([eventCodes.mouse << 5]), u16(flags, x, y)])

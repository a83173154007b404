/**
 * Bitmaps of 32 bits per pixel (MS-RDPEGDI 2.2.2.5.1): one plane per colour, each row as differences from the row below,
 * in runs. Of the two ways to save colour, neither is asked for and neither is read.
 */
import { ProtocolError } from '../protocol-error.ts'

const flags = { colourLoss: 0x07, runs: 0x10, noAlpha: 0x20 } as const
const malformed = (): ProtocolError => new ProtocolError('rdp/malformed', 'A bitmap of the desktop is malformed.')

export interface Planes {
  red: Uint8Array
  green: Uint8Array
  blue: Uint8Array
}

/** Planes with the first row at the bottom. Throws ProtocolError. */
export function decodePlanar(data: Buffer, width: number, height: number): Planes {
  const header = data[0]
  if (header === undefined) throw malformed()
  if ((header & flags.colourLoss) !== 0)
    throw new ProtocolError('rdp/unsupported', 'The desktop sends bitmaps with fewer colours, which nobody asked for.')
  const hasAlpha = (header & flags.noAlpha) === 0
  const size = width * height
  let at = 1
  if ((header & flags.runs) === 0) {
    if (hasAlpha) at += size
    if (data.length < at + size * 3) throw malformed()
    return {
      red: data.subarray(at, at + size),
      green: data.subarray(at + size, at + 2 * size),
      blue: data.subarray(at + 2 * size, at + 3 * size),
    }
  }
  const next = (): Uint8Array => {
    const plane = new Uint8Array(size)
    at = decodePlane(data, at, plane, width, height)
    return plane
  }
  if (hasAlpha) next()
  return { red: next(), green: next(), blue: next() }
}

/** Returns where the plane ends in the data. */
function decodePlane(data: Buffer, from: number, plane: Uint8Array, width: number, height: number): number {
  let at = from
  for (let row = 0; row < height; row += 1) {
    const start = row * width
    const end = start + width
    let to = start
    let last = 0
    while (to < end) {
      const control = data[at]
      if (control === undefined) throw malformed()
      at += 1
      let run = control & 0x0f
      let raw = control >> 4
      if (run === 1) {
        run = 16 + raw
        raw = 0
      } else if (run === 2) {
        run = 32 + raw
        raw = 0
      }
      if (to + raw + run > end || at + raw > data.length || raw + run === 0) throw malformed()
      const rawEnd = to + raw
      const runEnd = rawEnd + run
      if (row === 0) {
        for (; to < rawEnd; to += 1, at += 1) plane[to] = last = data[at] ?? 0
        plane.fill(last, to, runEnd)
        to = runEnd
        continue
      }
      for (; to < rawEnd; to += 1, at += 1) {
        const value = data[at] ?? 0
        last = value & 1 ? -((value + 1) >> 1) : value >> 1
        plane[to] = (plane[to - width] ?? 0) + last
      }
      // What does not differ from the row below is most of a screen.
      if (last === 0) plane.copyWithin(to, to - width, runEnd - width)
      else for (let place = to; place < runEnd; place += 1) plane[place] = (plane[place - width] ?? 0) + last
      to = runEnd
    }
  }
  return at
}

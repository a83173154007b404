/**
 * Frames of a recording that is streamed at the pace it was recorded: `type u8 | length u16 | body`, big-endian, the
 * length counting the body.
 *
 *   1 output     to the client   ms u64 | bytes; an empty one with the total length is the last
 *   2 error      to the client   severity u8 (1 error) | length u16 | UTF-8
 *   3 play/pause to the proxy    u8: 0 play, 1 pause
 *   4 seek       to the proxy    ms u64
 *   5 size       to the client   columns u16 | rows u16
 */
export const playbackTypes = { output: 1, error: 2, pause: 3, seek: 4, size: 5 } as const
/** Bytes of output in one frame; the length has sixteen bits. */
export const playbackOutputLimit = 32 * 1024
const headerLength = 3
const severityError = 1

function frame(type: number, length: number): { bytes: Uint8Array<ArrayBuffer>; body: DataView } {
  const bytes = new Uint8Array(headerLength + length)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, type)
  view.setUint16(1, length)
  return { bytes, body: new DataView(bytes.buffer, headerLength) }
}

/** Throws RangeError when there are more bytes than a frame may carry. */
export function encodeOutput(ms: number, output: Uint8Array): Uint8Array {
  if (output.length > playbackOutputLimit)
    throw new RangeError(`${output.length} bytes of output; a frame carries at most ${playbackOutputLimit}`)
  const { bytes, body } = frame(playbackTypes.output, 8 + output.length)
  body.setBigUint64(0, BigInt(ms))
  bytes.set(output, headerLength + 8)
  return bytes
}

export function encodeError(text: string): Uint8Array {
  const message = new TextEncoder().encode(text).subarray(0, 0xffff - 3)
  const { bytes, body } = frame(playbackTypes.error, 3 + message.length)
  body.setUint8(0, severityError)
  body.setUint16(1, message.length)
  bytes.set(message, headerLength + 3)
  return bytes
}

export function encodeSize(columns: number, rows: number): Uint8Array {
  const { bytes, body } = frame(playbackTypes.size, 4)
  body.setUint16(0, columns)
  body.setUint16(2, rows)
  return bytes
}

export type PlaybackCommand = { do: 'play' } | { do: 'pause' } | { do: 'seek'; ms: number }

/** What a client asks for; undefined for anything that is no whole frame of a known type. */
export function decodeCommand(bytes: Uint8Array): PlaybackCommand | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (bytes.length < headerLength || view.getUint16(1) !== bytes.length - headerLength) return undefined
  const [type, length] = [view.getUint8(0), bytes.length - headerLength]
  if (type === playbackTypes.pause && length === 1) {
    const value = view.getUint8(headerLength)
    return value === 0 ? { do: 'play' } : value === 1 ? { do: 'pause' } : undefined
  }
  if (type === playbackTypes.seek && length === 8) {
    const ms = view.getBigUint64(headerLength)
    return ms <= BigInt(Number.MAX_SAFE_INTEGER) ? { do: 'seek', ms: Number(ms) } : undefined
  }
  return undefined
}

/**
 * What lets a player begin anywhere in a recording: it is cut into stretches, and each begins with a picture of the
 * screen. Made from a finished recording, so it can be thrown away and made again at any time.
 *
 * <sid>.key beside the recording, integers little-endian:
 *   the stretches, one after the other, each zstd of JSON (stretchForm)
 *   the outline, zstd of JSON (outlineForm), which says where the stretches lie
 *   trailer, 56 bytes: position of the outline u64 | its length u32 | version u32 = 1 | "SALLYKEY" | HMAC-SHA256 of
 *   the outline as stored and all of the trailer before. Digests of the stretches and of the recording are in the
 *   outline, so a picture that was changed, or belongs to another recording, is not shown.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress, zstdDecompress } from 'node:zlib'
import { z } from 'zod'
import { digestOf } from './format.ts'
import type { RandomBytes } from './random-bytes.ts'
import { damaged } from './recording-error.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

const trailerLength = 56
const macLength = 32
const magic = Buffer.from('SALLYKEY')
const version = 1
/** Unpacked; far above what the maker produces. */
const unpackedLimit = 64 * 1024 * 1024

const whole = z.int().min(0)

/** Times are milliseconds since the first output. */
export const stretchForm = z.object({
  columns: whole,
  rows: whole,
  /** Output that brings an empty terminal to where the stretch begins. */
  screen: z.string().optional(),
  /** By turns: milliseconds since the print before (the first: since the beginning of the stretch), and bytes. */
  prints: z.array(whole),
  /** By turns: milliseconds since the beginning of the stretch, columns, rows. */
  sizes: z.array(whole),
})
export type Stretch = z.output<typeof stretchForm>

const stretchPlace = z.object({
  at: whole,
  /** Where its output begins in the stream. */
  offset: whole,
  hasScreen: z.boolean(),
  position: whole,
  length: whole,
  digest: z.string(),
})
export type StretchPlace = z.output<typeof stretchPlace>

export const outlineForm = z.object({
  sid: z.string(),
  /** The recording's own digest. */
  recording: z.string(),
  /** Epoch milliseconds of the first output. */
  zero: whole,
  duration: whole,
  bytes: whole,
  /** Events that are no output, as the recording holds them, with index and time. */
  events: z.array(z.record(z.string(), z.unknown())),
  /** Output in equal parts of the time, 0..1 of the busiest. */
  wave: z.array(z.number()),
  idles: z.array(z.object({ from: whole, to: whole })),
  /** What the shell said was run, and what it ended with. */
  commands: z.array(z.object({ at: whole, text: z.string(), exit: whole.optional() })).default([]),
  stretches: z.array(stretchPlace),
})
export type Outline = z.output<typeof outlineForm>

/** Writes stretches as they come, then the outline. */
export class KeyFrameWriter {
  readonly #write: (bytes: Buffer) => Promise<unknown>
  readonly #key: Uint8Array
  readonly #places: StretchPlace[] = []
  #position = 0

  constructor(write: (bytes: Buffer) => Promise<unknown>, key: Uint8Array) {
    this.#write = write
    this.#key = key
  }

  async add(stretch: Stretch, { at, offset }: { at: number; offset: number }): Promise<void> {
    const bytes = await compress(JSON.stringify(stretch))
    await this.#write(bytes)
    const digest = digestOf(bytes).toString('hex')
    this.#places.push({ at, offset, hasScreen: stretch.screen !== undefined, position: this.#position, length: bytes.length, digest })
    this.#position += bytes.length
  }

  async end(outline: Omit<Outline, 'stretches'>): Promise<void> {
    const bytes = await compress(JSON.stringify({ ...outline, stretches: this.#places } satisfies Outline))
    const trailer = Buffer.alloc(trailerLength)
    trailer.writeBigUInt64LE(BigInt(this.#position), 0)
    trailer.writeUInt32LE(bytes.length, 8)
    trailer.writeUInt32LE(version, 12)
    magic.copy(trailer, 16)
    macOf(this.#key, bytes, trailer).copy(trailer, trailerLength - macLength)
    await this.#write(Buffer.concat([bytes, trailer]))
  }
}

const macOf = (key: Uint8Array, outline: Buffer, trailer: Buffer): Buffer =>
  createHmac('sha256', key)
    .update(outline)
    .update(trailer.subarray(0, trailerLength - macLength))
    .digest()

/** Throws RecordingError unless the file was written with this key and nothing in it has changed. */
export async function readOutline(file: RandomBytes, key: Uint8Array): Promise<Outline> {
  const trailer = await file.readAt(Math.max(0, file.size - trailerLength), trailerLength)
  if (trailer.length < trailerLength || !trailer.subarray(16, 24).equals(magic)) throw damaged('its key frames end too early')
  if (trailer.readUInt32LE(12) !== version) throw damaged('its key frames are of another version')
  const position = Number(trailer.readBigUInt64LE(0))
  const length = trailer.readUInt32LE(8)
  if (position + length + trailerLength !== file.size) throw damaged('its key frames were changed')
  const bytes = await file.readAt(position, length)
  if (!timingSafeEqual(macOf(key, bytes, trailer), trailer.subarray(trailerLength - macLength)))
    throw damaged('its key frames were changed')
  return outlineForm.parse(await unpack(bytes))
}

export async function readStretch(file: RandomBytes, { position, length, digest }: StretchPlace): Promise<Stretch> {
  const bytes = await file.readAt(position, length)
  if (digestOf(bytes).toString('hex') !== digest) throw damaged('a key frame was changed')
  return stretchForm.parse(await unpack(bytes))
}

const unpack = async (bytes: Buffer): Promise<unknown> =>
  JSON.parse((await decompress(bytes, { maxOutputLength: unpackedLimit })).toString()) as unknown

/**
 * How a recording lies on disk. All integers are little-endian.
 *
 *   <data>/recordings/open/<sid>.rec          while the session runs, and after a crash until it is completed
 *   <data>/recordings/closed/<ab>/<sid>.rec   complete; <ab> are the first two characters of the sid
 *   .idx beside each .rec                     the chunk headers of the .rec, one after the other, and nothing else:
 *                                             offsets follow by adding up sizes; it may be short or absent
 *
 * File:   "SALLYREC" | version u16 = 1 | zero u16 | zero u32 | sid 16 bytes | start u64 (epoch ms)          40 bytes
 *         then chunks until the end; the last one of a complete recording carries the flag `last`.
 *
 * Chunk header, 120 bytes:
 *     0  "RECC"                    32  stream offset u64: bytes of output in all chunks before
 *     4  flags u8, zero u24        40  events: raw length u32, stored length u32
 *     8  sequence u32, from 0      48  output: raw length u32, stored length u32
 *    12  ei u32 of first record    56  digest of the previous header (of the file header for the first chunk)
 *    16  number of records u32     72  digest of the stored events
 *    20  ms u32 of first record    88  digest of the stored output
 *    24  ms u32 of last record    104  digest of bytes 0-103
 *    28  zero u32
 *   then the stored events (records.ts), then the stored output: the very bytes of the shell. Each is zstd, or plain
 *   where that is shorter. A digest is the first 16 bytes of SHA-256, so headers form a chain and no byte can change,
 *   move or go missing between the first header and the last without being noticed.
 *
 * A chunk is written whole after its predecessor, so a process that dies leaves at most one torn chunk, at the end.
 */
import { hash } from 'node:crypto'
import { damaged } from './recording-error.ts'

export const fileHeaderLength = 40
export const chunkHeaderLength = 120
export const digestLength = 16
/** A chunk's output before compression. */
export const chunkOutputLimit = 256 * 1024
/** A chunk's events before compression; far above what the writer produces. */
export const chunkEventsLimit = 1024 * 1024

const fileMagic = Buffer.from('SALLYREC')
export const chunkMagic = Buffer.from('RECC')
const version = 1

export const chunkFlags = { last: 1, eventsCompressed: 2, outputCompressed: 4 } as const

export const digestOf = (bytes: Uint8Array): Buffer => hash('sha256', bytes, 'buffer').subarray(0, digestLength)

export interface FileHeader {
  sid: string
  /** Epoch milliseconds. */
  start: number
}

export function encodeFileHeader({ sid, start }: FileHeader): Buffer {
  const bytes = Buffer.alloc(fileHeaderLength)
  fileMagic.copy(bytes)
  bytes.writeUInt16LE(version, 8)
  bytes.write(sid.replaceAll('-', ''), 16, 'hex')
  bytes.writeBigUInt64LE(BigInt(start), 32)
  return bytes
}

/** Throws RecordingError when the bytes are no header of this version. */
export function parseFileHeader(bytes: Buffer): FileHeader {
  if (bytes.length < fileHeaderLength) throw damaged('it ends inside its first bytes')
  if (!bytes.subarray(0, 8).equals(fileMagic)) throw damaged('it does not start as a recording does')
  if (bytes.readUInt16LE(8) !== version) throw damaged(`its version is ${bytes.readUInt16LE(8)}, this program reads version ${version}`)
  const hex = bytes.toString('hex', 16, 32)
  const sid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  return { sid, start: Number(bytes.readBigUInt64LE(32)) }
}

export interface Block {
  raw: number
  stored: number
  compressed: boolean
  digest: Buffer
}

export interface ChunkHeader {
  last: boolean
  sequence: number
  firstEi: number
  records: number
  startMs: number
  endMs: number
  streamOffset: number
  events: Block
  output: Block
  previous: Buffer
  /** Its own digest, which the next chunk names as `previous`. */
  digest: Buffer
}

/** The header's bytes; its digest is their last 16. */
export function encodeChunkHeader(header: Omit<ChunkHeader, 'digest'>): Buffer {
  const bytes = Buffer.alloc(chunkHeaderLength)
  const { events, output } = header
  chunkMagic.copy(bytes)
  bytes[4] =
    (header.last ? chunkFlags.last : 0) |
    (events.compressed ? chunkFlags.eventsCompressed : 0) |
    (output.compressed ? chunkFlags.outputCompressed : 0)
  bytes.writeUInt32LE(header.sequence, 8)
  bytes.writeUInt32LE(header.firstEi, 12)
  bytes.writeUInt32LE(header.records, 16)
  bytes.writeUInt32LE(header.startMs, 20)
  bytes.writeUInt32LE(header.endMs, 24)
  bytes.writeBigUInt64LE(BigInt(header.streamOffset), 32)
  bytes.writeUInt32LE(events.raw, 40)
  bytes.writeUInt32LE(events.stored, 44)
  bytes.writeUInt32LE(output.raw, 48)
  bytes.writeUInt32LE(output.stored, 52)
  header.previous.copy(bytes, 56)
  events.digest.copy(bytes, 72)
  output.digest.copy(bytes, 88)
  digestOf(bytes.subarray(0, 104)).copy(bytes, 104)
  return bytes
}

/** Throws RecordingError when the bytes are no intact header or promise more than a chunk may hold. */
export function parseChunkHeader(bytes: Buffer): ChunkHeader {
  if (bytes.length < chunkHeaderLength) throw damaged('it ends inside a chunk header')
  if (!bytes.subarray(0, 4).equals(chunkMagic)) throw damaged('a chunk does not start as one does')
  const digest = bytes.subarray(104, 120)
  if (!digestOf(bytes.subarray(0, 104)).equals(digest)) throw damaged('a chunk header was changed')
  const flags = bytes.readUInt8(4)
  const block = (at: number, digestAt: number, flag: number): Block => ({
    raw: bytes.readUInt32LE(at),
    stored: bytes.readUInt32LE(at + 4),
    compressed: (flags & flag) !== 0,
    digest: bytes.subarray(digestAt, digestAt + digestLength),
  })
  const header: ChunkHeader = {
    last: (flags & chunkFlags.last) !== 0,
    sequence: bytes.readUInt32LE(8),
    firstEi: bytes.readUInt32LE(12),
    records: bytes.readUInt32LE(16),
    startMs: bytes.readUInt32LE(20),
    endMs: bytes.readUInt32LE(24),
    streamOffset: Number(bytes.readBigUInt64LE(32)),
    events: block(40, 72, chunkFlags.eventsCompressed),
    output: block(48, 88, chunkFlags.outputCompressed),
    previous: bytes.subarray(56, 72),
    digest,
  }
  const fits = ({ raw, stored, compressed }: Block, limit: number): boolean => raw <= limit && (compressed ? stored < raw : stored === raw)
  if (!fits(header.events, chunkEventsLimit) || !fits(header.output, chunkOutputLimit)) throw damaged('a chunk is larger than chunks are')
  return header
}

export const chunkLength = ({ events, output }: ChunkHeader): number => chunkHeaderLength + events.stored + output.stored

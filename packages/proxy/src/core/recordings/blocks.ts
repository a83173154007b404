/** Compression of a chunk's two blocks, off the main thread. */
import { constants, zstdCompress, zstdDecompress } from 'node:zlib'
import { promisify } from 'node:util'
import { damaged, RecordingError } from './recording-error.ts'
import { digestOf } from './format.ts'
import type { Block } from './format.ts'

const compress = promisify(zstdCompress)
const decompress = promisify(zstdDecompress)

/** Terminal output shrinks by twenty at the fastest level already; higher ones cost more than they save. */
const options = { params: { [constants.ZSTD_c_compressionLevel]: 1 }, chunkSize: 64 * 1024 }
/** Less than this is what typing produces: not worth the memory and time of a compressor. */
const worthCompressing = 1024

export async function packBlock(raw: Buffer): Promise<{ block: Block; bytes: Buffer }> {
  const packed = raw.length < worthCompressing ? raw : await compress(raw, options)
  const compressed = packed.length < raw.length
  const bytes = compressed ? packed : raw
  return { block: { raw: raw.length, stored: bytes.length, compressed, digest: digestOf(bytes) }, bytes }
}

/** Throws RecordingError when the bytes are not those that were packed. */
export async function unpackBlock(bytes: Buffer, block: Block): Promise<Buffer> {
  if (bytes.length !== block.stored || !digestOf(bytes).equals(block.digest)) throw damaged('the content of a chunk was changed')
  if (!block.compressed) return bytes
  // All of it at once: the default goes through the pool of threads for every 16 kB.
  const raw = await decompress(bytes, { maxOutputLength: block.raw, chunkSize: Math.max(block.raw, 64) }).catch((cause: unknown) => {
    throw new RecordingError('damaged', 'The recording is damaged: the content of a chunk cannot be unpacked.', { cause })
  })
  if (raw.length !== block.raw) throw damaged('a chunk unpacks to another length than it should')
  return raw
}

/** Where the chunks of a recording lie. Read from the index file as far as that goes, and from the recording beyond. */
import { chunkHeaderLength, chunkLength, digestOf, fileHeaderLength, parseChunkHeader, parseFileHeader } from './format.ts'
import type { ChunkHeader, FileHeader } from './format.ts'
import type { RandomBytes } from './random-bytes.ts'
import { damaged, RecordingError } from './recording-error.ts'

export interface IndexedChunk {
  header: ChunkHeader
  /** Of the chunk's header in the recording. */
  position: number
}

export interface ChunkIndex {
  file: FileHeader
  chunks: IndexedChunk[]
  /** Where the last whole chunk ends. */
  end: number
  /** Whether the last chunk says that it is the last one. */
  complete: boolean
  /** The digest that the next chunk has to name. */
  previous: Buffer
}

/**
 * Walks the headers of a recording. What follows the last whole, intact chunk is not looked at: whether something is
 * missing there shows in `complete`. Throws RecordingError when not even the file's own header is intact. `known`: what
 * was read of the same recording before; the index bytes are those that follow it.
 */
export async function readChunkIndex(recording: RandomBytes, indexBytes: Buffer, known?: ChunkIndex): Promise<ChunkIndex> {
  const { size } = recording
  const fileHeader = await recording.readAt(0, fileHeaderLength)
  const index: ChunkIndex = known
    ? { ...known, chunks: [...known.chunks] }
    : { file: parseFileHeader(fileHeader), chunks: [], end: fileHeaderLength, complete: false, previous: digestOf(fileHeader) }
  for (let at = 0; at + chunkHeaderLength <= indexBytes.length; at += chunkHeaderLength)
    if (!append(index, indexBytes.subarray(at, at + chunkHeaderLength), size)) break
  // The last indexed chunk must really be there; if it is not, the index belongs to something else.
  const last = index.chunks.at(-1)
  if (last && !(await recording.readAt(last.position + 104, 16)).equals(last.header.digest))
    return readChunkIndex(recording, Buffer.alloc(0))
  while (index.end < size && !index.complete) if (!append(index, await recording.readAt(index.end, chunkHeaderLength), size)) break
  return index
}

/** Adds the chunk whose header this is; false when it is not intact, not the next one, or not whole. */
function append(index: ChunkIndex, bytes: Buffer, size: number): boolean {
  const header = intactHeader(bytes)
  if (!header || index.complete || !header.previous.equals(index.previous)) return false
  const last = index.chunks.at(-1)?.header
  const expected = last ? { ei: last.firstEi + last.records, offset: last.streamOffset + last.output.raw } : { ei: 0, offset: 0 }
  if (header.sequence !== index.chunks.length || header.firstEi !== expected.ei || header.streamOffset !== expected.offset) return false
  const end = index.end + chunkLength(header)
  if (end > size) return false
  index.chunks.push({ header, position: index.end })
  index.end = end
  index.complete = header.last
  index.previous = header.digest
  return true
}

function intactHeader(bytes: Buffer): ChunkHeader | undefined {
  try {
    return parseChunkHeader(bytes)
  } catch (error) {
    if (error instanceof RecordingError) return undefined
    throw error
  }
}

/** The index of a recording that is known to be complete. Throws RecordingError when anything of it is missing. */
export function requireComplete(index: ChunkIndex, { size }: RandomBytes): ChunkIndex {
  if (!index.complete) throw damaged(`nothing can be read after byte ${index.end}, though it goes on or was cut there`)
  if (index.end !== size) throw damaged(`${size - index.end} bytes follow its end`)
  return index
}

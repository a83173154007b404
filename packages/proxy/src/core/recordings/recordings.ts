/** The recordings of this proxy: files under one directory, one per session. */
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LRUCache } from 'lru-cache'
import { readAt, readChunkIndex, requireComplete } from './chunk-index.ts'
import type { ChunkIndex } from './chunk-index.ts'
import { chunkEventsLimit, chunkHeaderLength, chunkMagic, chunkOutputLimit, encodeChunkHeader, fileHeaderLength } from './format.ts'
import { cannotWrite, createRecorder, Recorder } from './recorder.ts'
import type { RecorderFiles, RecorderOptions } from './recorder.ts'
import { damaged, RecordingError } from './recording-error.ts'
import { RecordingReader } from './recording-reader.ts'

export interface Recordings {
  /** Starts the recording of a session. Rejects with RecordingError. */
  create(options: Omit<RecorderOptions, 'files'>): Promise<Recorder>
  /**
   * A recording, finished or still running; of one that is not sealed, what was flushed. The caller disposes of it.
   * Rejects with RecordingError: missing, or damaged.
   */
  read(sid: string): Promise<RecordingReader>
  /** Continues one that a process left behind, after cutting what it did not write whole. Rejects with RecordingError. */
  recover(sid: string): Promise<Recorder>
  /** Puts a finished recording where finished ones are kept; from then on nothing may be missing in it. */
  seal(sid: string): Promise<void>
  /** Where a sealed recording is. */
  addressOf(sid: string): string
  /** Whether one that is not sealed is too short to hold anything. */
  isBlank(sid: string): Promise<boolean>
  /** Removes one that is not sealed. */
  discard(sid: string): Promise<void>
  /** Sids of all recordings that are not sealed. */
  unsealed(): Promise<string[]>
}

/** Chunks of sealed recordings whose places are remembered, so that seeking reads nothing but what is shown. */
const rememberedChunks = 50_000
const recordingEnding = '.rec'
const sidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/
const missing = (sid: string): RecordingError => new RecordingError('missing', `There is no recording of session ${sid}.`)
const ownedByUs = { recursive: true, mode: 0o700 } as const

export function createRecordings(directory: string): Recordings {
  const filesIn = (folder: string, sid: string): RecorderFiles => ({
    recording: join(directory, folder, `${sid}${recordingEnding}`),
    index: join(directory, folder, `${sid}.idx`),
  })
  const openFiles = (sid: string): RecorderFiles => filesIn('open', sid)
  const closedFiles = (sid: string): RecorderFiles => filesIn(join('closed', sid.slice(0, 2)), sid)

  const indexes = new LRUCache<string, ChunkIndex>({ maxSize: rememberedChunks, sizeCalculation: ({ chunks }) => chunks.length + 1 })

  return {
    async create(options) {
      const files = openFiles(options.sid)
      await mkdir(dirname(files.recording), ownedByUs).catch((cause: unknown) => {
        throw cannotWrite(cause)
      })
      return createRecorder({ ...options, files })
    },
    async read(sid) {
      if (!sidForm.test(sid)) throw missing(sid)
      // A running one may be sealed between the two looks, so the open one is tried first.
      const reader = (await readOpen(openFiles(sid))) ?? (await readSealed(closedFiles(sid), indexes))
      if (!reader) throw missing(sid)
      return reader
    },
    async recover(sid) {
      const files = openFiles(sid)
      await using opened = new AsyncDisposableStack()
      const recording = await open(files.recording, 'r+')
      opened.defer(() => recording.close())
      const index = await readChunkIndex(recording, Buffer.alloc(0))
      await cutTornChunk(recording, index)
      const indexFile = await open(files.index, 'w', 0o600)
      opened.defer(() => indexFile.close())
      const headers = Buffer.concat(index.chunks.map(({ header }) => encodeChunkHeader(header)))
      await indexFile.writeFile(headers)
      const last = index.chunks.at(-1)?.header
      const position = {
        file: index.end,
        index: headers.length,
        sequence: index.chunks.length,
        nextEi: last ? last.firstEi + last.records : 0,
        streamOffset: last ? last.streamOffset + last.output.raw : 0,
        previous: index.previous,
      }
      opened.move()
      // As far as anybody knows, the session ended right after the last thing that was recorded.
      const elapsed = (): number => last?.endMs ?? 0
      return new Recorder({ sid, elapsed, onDrain: () => undefined, onFailure: () => undefined }, { recording, index: indexFile }, position)
    },
    async seal(sid) {
      const from = openFiles(sid)
      const to = closedFiles(sid)
      await mkdir(dirname(to.recording), ownedByUs)
      // The index first: a recording without its index can be read, an index alone would stay behind for ever.
      await rename(from.index, to.index).catch(unlessAbsent)
      await rename(from.recording, to.recording)
    },
    addressOf: (sid) => pathToFileURL(closedFiles(sid).recording).href,
    isBlank: async (sid) => (await stat(openFiles(sid).recording)).size < fileHeaderLength + chunkHeaderLength,
    async discard(sid) {
      const files = openFiles(sid)
      await Promise.all([rm(files.recording, { force: true }), rm(files.index, { force: true })])
    },
    async unsealed() {
      const names = (await readdir(join(directory, 'open')).catch(unlessAbsent)) ?? []
      return names
        .filter((name) => name.endsWith(recordingEnding))
        .map((name) => name.slice(0, -recordingEnding.length))
        .filter((sid) => sidForm.test(sid))
    },
  }
}

async function readOpen(files: RecorderFiles): Promise<RecordingReader | undefined> {
  return readWith(files, (file) => readIndex(file, files))
}

async function readSealed(files: RecorderFiles, known: LRUCache<string, ChunkIndex>): Promise<RecordingReader | undefined> {
  return readWith(files, async (file) => {
    const index = await requireComplete(known.get(files.recording) ?? (await readIndex(file, files)), file)
    known.set(files.recording, index)
    return index
  })
}

const readIndex = async (file: FileHandle, files: RecorderFiles): Promise<ChunkIndex> =>
  readChunkIndex(file, (await readFile(files.index).catch(unlessAbsent)) ?? Buffer.alloc(0))

async function readWith(files: RecorderFiles, indexOf: (file: FileHandle) => Promise<ChunkIndex>): Promise<RecordingReader | undefined> {
  await using opened = new AsyncDisposableStack()
  const file = await open(files.recording).catch(unlessAbsent)
  if (!file) return undefined
  opened.defer(() => file.close())
  const index = await indexOf(file)
  opened.move()
  return new RecordingReader(file, index)
}

function unlessAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/** What follows the last whole chunk goes only if it is the beginning of one chunk; more than that is damage, and stays. */
async function cutTornChunk(recording: FileHandle, index: ChunkIndex): Promise<void> {
  const { size } = await recording.stat()
  const tail = await readAt(recording, index.end, Math.min(size - index.end, tornChunkLimit + 1))
  if (tail.length > tornChunkLimit || tail.indexOf(chunkMagic, 1) > 0)
    throw damaged(`nothing can be read after byte ${index.end}, though more follows`)
  await recording.truncate(index.end)
}
const tornChunkLimit = chunkHeaderLength + chunkEventsLimit + chunkOutputLimit

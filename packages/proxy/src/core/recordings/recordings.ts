/** The recordings of this proxy: files under one directory, one per session, and what lies beside them. */
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { LRUCache } from 'lru-cache'
import { readChunkIndex, requireComplete } from './chunk-index.ts'
import type { ChunkIndex } from './chunk-index.ts'
import { chunkHeaderLength, encodeChunkHeader, fileHeaderLength } from './format.ts'
import { openFileBytes } from './random-bytes.ts'
import type { RandomBytes } from './random-bytes.ts'
import { cannotWrite, createRecorder, Recorder } from './recorder.ts'
import type { RecorderOptions } from './recorder.ts'
import { isSid, recordingPlaces, unlessAbsent } from './recording-files.ts'
import type { RecordingFiles } from './recording-files.ts'
import { damaged, RecordingError } from './recording-error.ts'
import { RecordingReader } from './recording-reader.ts'
import type { Sealer } from './seal.ts'
import { cutTornChunk } from './torn-chunk.ts'

/** `signed`: by this cluster, over these bytes. `unsigned`: there is no seal. `forged`: there is one, of something else. */
export type SealState = 'signed' | 'unsigned' | 'forged'

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
  /** Signs a finished recording and puts it where finished ones are kept; from then on nothing may be missing in it. */
  seal(sid: string): Promise<void>
  /** What the signature of a finished recording says. */
  sealState(reader: RecordingReader): Promise<SealState>
  /** Reads every byte of a finished recording. Rejects with RecordingError where it is not what was written. */
  verify(sid: string): Promise<SealState>
  /** The key frames that lie beside a finished recording. */
  keyFrames(sid: string): Promise<RandomBytes | undefined>
  /** Where a sealed recording is. */
  addressOf(sid: string): string
  /** Whether one that is not sealed is too short to hold anything. */
  isBlank(sid: string): Promise<boolean>
  /** Removes one that is not sealed. */
  discard(sid: string): Promise<void>
  /** Removes one that is sealed, with all that lies beside it. */
  remove(sid: string): Promise<void>
  /** Sids of all recordings that are not sealed. */
  unsealed(): Promise<string[]>
  /** Sids of all sealed recordings. */
  sealed(): Promise<string[]>
  /** The files of a sealed one. */
  filesOf(sid: string): RecordingFiles
}

export interface RecordingsOptions {
  /** Without it recordings are not signed. */
  sealer?: Sealer
  onSealed?: (sid: string) => void
}

/** Chunks of sealed recordings whose places are remembered, so that seeking reads nothing but what is shown. */
const rememberedChunks = 50_000
const missing = (sid: string): RecordingError => new RecordingError('missing', `There is no recording of session ${sid}.`)
const ownedByUs = { recursive: true, mode: 0o700 } as const

export function createRecordings(directory: string, { sealer, onSealed }: RecordingsOptions = {}): Recordings {
  const places = recordingPlaces(directory)
  const indexes = new LRUCache<string, ChunkIndex>({ maxSize: rememberedChunks, sizeCalculation: ({ chunks }) => chunks.length + 1 })

  const readSealed = (sid: string): Promise<RecordingReader | undefined> =>
    readWith(places.closed(sid).recording, sid, async (file) => {
      const index = requireComplete(indexes.get(sid) ?? (await readIndex(file, places.closed(sid))), file)
      indexes.set(sid, index)
      return index
    })

  async function sealState(reader: RecordingReader): Promise<SealState> {
    const text = await readFile(places.closed(reader.sid).seal, 'utf8').catch(unlessAbsent)
    if (text === undefined || !sealer) return 'unsigned'
    return sealer.isGenuine(text, reader.facts) ? 'signed' : 'forged'
  }

  return {
    async create(options) {
      const files = places.open(options.sid)
      await mkdir(dirname(files.recording), ownedByUs).catch((cause: unknown) => {
        throw cannotWrite(cause)
      })
      return createRecorder({ ...options, files })
    },
    async read(sid) {
      if (!isSid(sid)) throw missing(sid)
      const files = places.open(sid)
      // A running one may be sealed between the two looks, so the open one is tried first.
      const reader = (await readWith(files.recording, sid, (file) => readIndex(file, files))) ?? (await readSealed(sid))
      if (!reader) throw missing(sid)
      return reader
    },
    async recover(sid) {
      const files = places.open(sid)
      await using opened = new AsyncDisposableStack()
      const recording = await open(files.recording, 'r+')
      opened.defer(() => recording.close())
      const index = await scan(files.recording)
      await cutTornChunk(recording, index.end)
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
      const from = places.open(sid)
      const to = places.closed(sid)
      await mkdir(dirname(to.recording), ownedByUs)
      if (sealer) {
        await using reader = await readWith(from.recording, sid, (file) => readIndex(file, from))
        if (!reader) throw missing(sid)
        await writeFile(to.seal, sealer.seal(reader.facts), { mode: 0o600, flush: true })
      }
      // The recording last: without what lies beside it it can be read, what lies beside alone would stay for ever.
      await rename(from.index, to.index).catch(unlessAbsent)
      await rename(from.recording, to.recording)
      onSealed?.(sid)
    },
    sealState,
    async verify(sid) {
      const { recording } = places.closed(sid)
      await using reader = isSid(sid)
        ? await readWith(recording, sid, async (file) => requireComplete(await scan(recording), file))
        : undefined
      if (!reader) throw missing(sid)
      let output = 0
      for await (const chunk of reader.chunks()) output += chunk.output.length
      if (output !== reader.length) throw damaged('it holds less output than it says')
      return sealState(reader)
    },
    keyFrames: (sid) => openFileBytes(places.closed(sid).keyFrames).catch(unlessAbsent),
    addressOf: (sid) => pathToFileURL(places.closed(sid).recording).href,
    isBlank: async (sid) => (await stat(places.open(sid).recording)).size < fileHeaderLength + chunkHeaderLength,
    discard: (sid) => removeAll(places.open(sid)),
    async remove(sid) {
      indexes.delete(sid)
      await removeAll(places.closed(sid))
    },
    unsealed: places.openSids,
    sealed: places.closedSids,
    filesOf: places.closed,
  }
}

const removeAll = async (files: RecordingFiles): Promise<void> => {
  for (const file of Object.values<string>({ ...files })) await rm(file, { force: true })
}

const readIndex = async (file: RandomBytes, files: RecordingFiles): Promise<ChunkIndex> =>
  readChunkIndex(file, (await readFile(files.index).catch(unlessAbsent)) ?? Buffer.alloc(0))

/** Every header of the recording itself, whatever lies beside it. */
async function scan(recording: string): Promise<ChunkIndex> {
  await using file = await openFileBytes(recording)
  return await readChunkIndex(file, Buffer.alloc(0))
}

async function readWith(
  recording: string,
  sid: string,
  indexOf: (file: RandomBytes) => Promise<ChunkIndex>,
): Promise<RecordingReader | undefined> {
  await using opened = new AsyncDisposableStack()
  const file = await openFileBytes(recording).catch(unlessAbsent)
  if (!file) return undefined
  opened.use(file)
  const index = await indexOf(file)
  if (index.file.sid !== sid) throw damaged(`it is of session ${index.file.sid}`)
  opened.move()
  return new RecordingReader(file, index)
}

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
import { besideEndings, isSid, recordingEnding, recordingPlaces, unlessAbsent } from './recording-files.ts'
import type { RecordingFiles } from './recording-files.ts'
import { damaged, RecordingError } from './recording-error.ts'
import { RecordingReader } from './recording-reader.ts'
import type { RemoteStore } from './remote/remote-store.ts'
import type { Sealer } from './seal.ts'
import { stateOf, verifyRecording } from './verify.ts'
import type { SealState } from './verify.ts'
import { cutTornChunk } from './torn-chunk.ts'

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
  /** Removes one that is sealed, with all that lies beside it, wherever it is kept. */
  remove(sid: string): Promise<void>
  /** Removes it from this machine only. */
  removeHere(sid: string): Promise<void>
  /** Sids of all recordings that are not sealed. */
  unsealed(): Promise<string[]>
  /** Sids of all sealed recordings. */
  sealed(): Promise<string[]>
  /** Of those that are on this machine. */
  sealedHere(): Promise<string[]>
  /** Sealed recordings with the time of their end (epoch ms). */
  dated(): AsyncGenerator<{ sid: string; modified: number }>
  /** Finished ones are kept in another place: who brings them there says when they are stored. */
  readonly isRemote: boolean
  /** The files of a sealed one. */
  filesOf(sid: string): RecordingFiles
}

export interface RecordingsOptions {
  /** Without it recordings are not signed. */
  sealer?: Sealer
  onSealed?: (sid: string) => void
  /** Where finished ones are kept in the end. */
  remote?: RemoteStore | undefined
}

/** Chunks of sealed recordings whose places are remembered, so that seeking reads nothing but what is shown. */
const rememberedChunks = 50_000
const missing = (sid: string): RecordingError => new RecordingError('missing', `There is no recording of session ${sid}.`)
const ownedByUs = { recursive: true, mode: 0o700 } as const

export function createRecordings(directory: string, { sealer, onSealed, remote }: RecordingsOptions = {}): Recordings {
  const places = recordingPlaces(directory)
  const indexes = new LRUCache<string, ChunkIndex>({ maxSize: rememberedChunks, sizeCalculation: ({ chunks }) => chunks.length + 1 })

  const running = new LRUCache<string, ChunkIndex>({ maxSize: rememberedChunks, sizeCalculation: ({ chunks }) => chunks.length + 1 })

  const known = async (sid: string, read: () => Promise<ChunkIndex>, file: RandomBytes): Promise<ChunkIndex> => {
    const index = requireComplete(indexes.get(sid) ?? (await read()), file)
    indexes.set(sid, index)
    return index
  }
  /** Whoever follows a running one asks again and again: only what was written since is read. */
  const readRunning = async (sid: string, file: RandomBytes, files: RecordingFiles): Promise<ChunkIndex> => {
    const before = running.get(sid)
    const index = await readIndex(file, files, before)
    running.set(sid, index)
    return index
  }
  const readHere = (sid: string): Promise<RecordingReader | undefined> =>
    readWith(openFileBytes(places.closed(sid).recording).catch(unlessAbsent), sid, (file) =>
      known(sid, () => readIndex(file, places.closed(sid)), file),
    )
  const readThere = async (sid: string, store: RemoteStore): Promise<RecordingReader | undefined> =>
    readWith(store.open(`${sid}${recordingEnding}`), sid, (file) =>
      known(sid, async () => readChunkIndex(file, (await store.read(`${sid}.idx`)) ?? Buffer.alloc(0)), file),
    )
  const readSealed = async (sid: string): Promise<RecordingReader | undefined> =>
    (await readHere(sid)) ?? (remote && (await readThere(sid, remote)))
  const sealTextOf = async (sid: string): Promise<string | undefined> =>
    (await readFile(places.closed(sid).seal, 'utf8').catch(unlessAbsent)) ?? (await remote?.read(`${sid}.seal`))?.toString()

  const sealState = async (reader: RecordingReader): Promise<SealState> => stateOf(reader, await sealTextOf(reader.sid), sealer)

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
      const reader =
        (await readWith(openFileBytes(files.recording).catch(unlessAbsent), sid, (file) => readRunning(sid, file, files))) ??
        (await readSealed(sid))
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
        await using reader = await readWith(openFileBytes(from.recording).catch(unlessAbsent), sid, (file) => readIndex(file, from))
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
      const name = `${sid}${recordingEnding}`
      await using file = isSid(sid)
        ? ((await openFileBytes(places.closed(sid).recording).catch(unlessAbsent)) ?? (await remote?.open(name)))
        : undefined
      if (!file) throw missing(sid)
      return await verifyRecording(file, sid, await sealTextOf(sid), sealer)
    },
    keyFrames: async (sid) => (await openFileBytes(places.closed(sid).keyFrames).catch(unlessAbsent)) ?? (await remote?.open(`${sid}.key`)),
    addressOf: (sid) => remote?.addressOf(`${sid}${recordingEnding}`) ?? pathToFileURL(places.closed(sid).recording).href,
    isBlank: async (sid) => (await stat(places.open(sid).recording)).size < fileHeaderLength + chunkHeaderLength,
    discard: (sid) => removeAll(places.open(sid)),
    async remove(sid) {
      indexes.delete(sid)
      // The recording last: as long as it is there, whoever was interrupted finds the rest again.
      for (const ending of [...besideEndings, recordingEnding]) await remote?.remove(`${sid}${ending}`)
      await removeAll(places.closed(sid))
    },
    removeHere: (sid) => removeAll(places.closed(sid)),
    unsealed: places.openSids,
    async sealed() {
      const sids = new Set(await places.closedSids())
      if (remote) for await (const { name } of remote.list()) if (name.endsWith(recordingEnding)) sids.add(sidOf(name))
      return [...sids].filter(isSid)
    },
    sealedHere: places.closedSids,
    async *dated() {
      for (const sid of await places.closedSids()) {
        const found = await stat(places.closed(sid).recording).catch(unlessAbsent)
        if (found) yield { sid, modified: found.mtimeMs }
      }
      if (!remote) return
      for await (const { name, modified } of remote.list())
        if (name.endsWith(recordingEnding) && isSid(sidOf(name))) yield { sid: sidOf(name), modified }
    },
    isRemote: remote !== undefined,
    filesOf: places.closed,
  }
}

const removeAll = async (files: RecordingFiles): Promise<void> => {
  for (const file of [files.index, files.seal, files.keyFrames, files.recording]) await rm(file, { force: true })
}

async function readIndex(file: RandomBytes, files: RecordingFiles, known?: ChunkIndex): Promise<ChunkIndex> {
  await using beside = await openFileBytes(files.index).catch(unlessAbsent)
  const from = (known?.chunks.length ?? 0) * chunkHeaderLength
  return await readChunkIndex(file, beside ? await beside.readAt(from, Math.max(0, beside.size - from)) : Buffer.alloc(0), known)
}

/** Every header of the recording itself, whatever lies beside it. */
async function scan(recording: string): Promise<ChunkIndex> {
  await using file = await openFileBytes(recording)
  return await readChunkIndex(file, Buffer.alloc(0))
}

async function readWith(
  opening: Promise<RandomBytes | undefined>,
  sid: string,
  indexOf: (file: RandomBytes) => Promise<ChunkIndex>,
): Promise<RecordingReader | undefined> {
  await using opened = new AsyncDisposableStack()
  const file = await opening
  if (!file) return undefined
  opened.use(file)
  const index = await indexOf(file)
  if (index.file.sid !== sid) throw damaged(`it is of session ${index.file.sid}`)
  opened.move()
  return new RecordingReader(file, index)
}

const sidOf = (name: string): string => name.slice(0, -recordingEnding.length)

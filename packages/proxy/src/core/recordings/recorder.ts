/** Writes one recording while its session runs. */
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { packBlock } from './blocks.ts'
import { ChunkBuilder, heldBy } from './chunk-builder.ts'
import type { PendingChunk } from './chunk-builder.ts'
import { chunkLength, chunkOutputLimit, digestOf, encodeChunkHeader, encodeFileHeader, parseChunkHeader } from './format.ts'
import type { RecordingFiles } from './recording-files.ts'
import type { RecordedEvent } from './records.ts'
import { RecordingError } from './recording-error.ts'

/** With the time that compressing and writing take, no more than a second of output is lost when the process dies. */
const flushAfter = 500
/** Above this the writer lags behind the shell, which has to wait until it has caught up. */
const backlogLimit = 2 * 1024 * 1024

export interface RecorderOptions {
  files: Pick<RecordingFiles, 'recording' | 'index'>
  sid: string
  /** Epoch milliseconds of the session's start. */
  start: number
  /** Milliseconds since the session's start; they only ever grow, whatever the wall clock does. */
  elapsed: () => number
  /** The recorder has caught up after `print` returned false. */
  onDrain: () => void
  /** It cannot write; nothing more is recorded. Called once. */
  onFailure: (error: RecordingError) => void
}

/** Where the next chunk goes. A recording that is continued after a crash starts with other values than zero. */
export interface WritePosition {
  file: number
  index: number
  sequence: number
  nextEi: number
  streamOffset: number
  previous: Buffer
}

export class Recorder {
  readonly #options: Omit<RecorderOptions, 'files' | 'start'>
  readonly #recording: FileHandle
  readonly #index: FileHandle
  readonly #builder: ChunkBuilder
  readonly #position: WritePosition
  #writing: Promise<void> = Promise.resolve()
  #inFlight = 0
  #timer: NodeJS.Timeout | undefined
  #lagging = false
  #closed = false
  #failure: RecordingError | undefined

  constructor(
    options: Omit<RecorderOptions, 'files' | 'start'>,
    handles: { recording: FileHandle; index: FileHandle },
    position: WritePosition,
  ) {
    this.#options = options
    this.#recording = handles.recording
    this.#index = handles.index
    this.#position = position
    this.#builder = new ChunkBuilder(position.nextEi)
  }

  get failure(): RecordingError | undefined {
    return this.#failure
  }

  /** Whole milliseconds since the session's start. */
  get ms(): number {
    return Math.max(0, Math.floor(this.#options.elapsed()))
  }

  /** Bytes of output, which are copied. False: pause the shell until `onDrain`. */
  print(bytes: Buffer): boolean {
    if (this.#failure || this.#closed) return true
    let rest = bytes
    while (rest.length > 0) {
      rest = this.#builder.print(this.ms, rest)
      if (rest.length > 0 || this.#builder.held >= chunkOutputLimit) this.#write(this.#builder.take())
    }
    this.#arm()
    this.#lagging ||= this.#inFlight + this.#builder.held > backlogLimit
    return !this.#lagging
  }

  /** Records an event and returns its index in the session. */
  event(event: RecordedEvent): number {
    const ei = this.#builder.event(this.ms, event)
    if (this.#failure || this.#closed) this.#builder.take()?.output.release()
    else this.#arm()
    return ei
  }

  /** Resolves when everything so far is in the file. Rejects with RecordingError when it could not be written. */
  async flush(): Promise<void> {
    this.#write(this.#builder.take())
    await this.#writing
    if (this.#failure) throw this.#failure
  }

  /** Writes the last chunk, makes all of it durable and closes the files. Rejects with RecordingError. */
  async finish(): Promise<void> {
    this.#write(this.#builder.take() ?? this.#builder.empty(this.ms), true)
    try {
      await this.#writing
      if (this.#failure) throw this.#failure
      await this.#recording.sync()
    } catch (cause) {
      throw this.#fail(cause)
    } finally {
      await this.close()
    }
  }

  /** Lets go of the files as they are: what was not flushed is lost. */
  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#closed = true
    await this.#writing
    await Promise.allSettled([this.#recording.close(), this.#index.close()])
  }

  #arm(): void {
    if (this.#timer !== undefined || this.#builder.held === 0) return
    this.#timer = setTimeout(() => this.#write(this.#builder.take()), flushAfter)
  }

  #write(chunk: PendingChunk | undefined, last = false): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (!chunk || this.#failure || this.#closed) return
    const held = heldBy(chunk)
    this.#inFlight += held
    this.#writing = this.#writing.then(async () => {
      try {
        if (!this.#failure) await this.#append(chunk, last)
      } catch (error) {
        this.#options.onFailure(this.#fail(error))
      }
      chunk.output.release()
      this.#inFlight -= held
      if (this.#lagging && this.#inFlight + this.#builder.held <= backlogLimit / 2) this.#drained()
    })
  }

  #drained(): void {
    this.#lagging = false
    this.#options.onDrain()
  }

  #fail(cause: unknown): RecordingError {
    this.#failure ??= cause instanceof RecordingError ? cause : cannotWrite(cause)
    this.#builder.take()?.output.release()
    if (this.#lagging) this.#drained()
    return this.#failure
  }

  async #append(chunk: PendingChunk, last: boolean): Promise<void> {
    const position = this.#position
    const [events, output] = await Promise.all([packBlock(Buffer.concat(chunk.events)), packBlock(chunk.output.bytes())])
    const { firstEi, records, startMs, endMs } = chunk
    const { sequence, streamOffset, previous } = position
    const bytes = encodeChunkHeader({
      last,
      sequence,
      firstEi,
      records,
      startMs,
      endMs,
      streamOffset,
      events: events.block,
      output: output.block,
      previous,
    })
    const header = parseChunkHeader(bytes)
    await writeAll(this.#recording, [bytes, events.bytes, output.bytes], position.file)
    await writeAll(this.#index, [bytes], position.index)
    position.file += chunkLength(header)
    position.index += bytes.length
    position.sequence += 1
    position.streamOffset += header.output.raw
    position.previous = header.digest
  }
}

async function writeAll(file: FileHandle, parts: Buffer[], position: number): Promise<void> {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  const { bytesWritten } = await file.writev(parts, position)
  if (bytesWritten < length) throw new RecordingError('cannot-write', 'The recording cannot be written: the disk is full. Free some space.')
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space',
  EDQUOT: 'the disk quota is used up. Free some space',
  EROFS: 'its directory is read-only. Make it writable',
  EACCES: 'this process may not write to its directory. Correct the permissions',
  EPERM: 'this process may not write to its directory. Correct the permissions',
  EIO: 'the disk reports an error. Check it',
}

export function cannotWrite(cause: unknown): RecordingError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return new RecordingError('cannot-write', `The recording cannot be written: ${reasons[code] ?? (code || 'unknown reason')}.`, { cause })
}

/** Starts a recording. Rejects with RecordingError; nothing is left behind then. */
export async function createRecorder({ files, sid, start, ...options }: RecorderOptions): Promise<Recorder> {
  await using opened = new AsyncDisposableStack()
  const fileHeader = encodeFileHeader({ sid, start })
  try {
    const recording = await open(files.recording, 'wx', 0o600)
    opened.defer(() => recording.close())
    const index = await open(files.index, 'wx', 0o600)
    opened.defer(() => index.close())
    await writeAll(recording, [fileHeader], 0)
    opened.move()
    const position = { file: fileHeader.length, index: 0, sequence: 0, nextEi: 0, streamOffset: 0, previous: digestOf(fileHeader) }
    return new Recorder({ sid, ...options }, { recording, index }, position)
  } catch (cause) {
    throw cannotWrite(cause)
  }
}

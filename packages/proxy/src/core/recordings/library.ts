/** What is made from finished recordings: key frames for the player, and the search over all of them. */
import { stat } from 'node:fs/promises'
import { LRUCache } from 'lru-cache'
import type { Log } from '../log.ts'
import { readOutline, readStretch } from './key-frames.ts'
import type { Outline, Stretch } from './key-frames.ts'
import { linesFoundForm, sidsForm } from './library-jobs.ts'
import type { LibraryThread } from './library-thread.ts'
import type { RecordingReader } from './recording-reader.ts'
import type { Recordings } from './recordings.ts'
import { RecordingError } from './recording-error.ts'
import { searchLines } from './search/search-lines.ts'
import type { FoundLines, LineSearch } from './search/search-lines.ts'

export interface LibraryDeps {
  recordings: Recordings
  thread: LibraryThread
  /** With which key frames are authenticated. */
  key: Uint8Array
  log: Log
  /** Called for each recording once everything is made from it, or could not be. */
  onDone?: (sid: string) => Promise<void>
}

export interface Library extends AsyncDisposable {
  /** Takes in a recording that was just finished. */
  add(sid: string): void
  /** Takes in what an earlier process did not come to; `all`: also what it did, for `onDone`. */
  catchUp(all?: boolean): Promise<void>
  /** Undefined while there are no key frames; they are made then. */
  outline(reader: RecordingReader): Promise<Outline | undefined>
  /** The stretch that a time lies in, and its number. */
  stretchAt(reader: RecordingReader, at: number): Promise<{ number: number; stretch: Stretch } | undefined>
  search(search: LineSearch): Promise<FoundLines>
  remove(sid: string): Promise<void>
  /** Settles when all that was added so far has been seen to. */
  settled(): Promise<void>
}

const rememberedOutlines = 30

export function createLibrary({ recordings, thread, key, log, onDone }: LibraryDeps): Library {
  const outlines = new LRUCache<string, Outline>({ max: rememberedOutlines })
  const queued = new Set<string>()
  let queue: Promise<void> = Promise.resolve()
  let isStopping = false

  /** Whatever comes after: one at a time, and beside the queue, so that a store that is away holds up no search. */
  let finishing: Promise<void> = Promise.resolve()
  function finish(sid: string): void {
    if (onDone) finishing = finishing.then(() => (isStopping ? undefined : onDone(sid)))
  }

  function add(sid: string): void {
    if (queued.has(sid) || isStopping) return
    queued.add(sid)
    queue = queue.then(async () => {
      if (isStopping) return
      try {
        await thread.ask({ do: 'work', sid })
      } catch (error) {
        if (!isStopping) log.warn({ err: error, sid }, 'a recording could not be made searchable')
      }
      queued.delete(sid)
      finish(sid)
    })
  }

  async function outline(reader: RecordingReader): Promise<Outline | undefined> {
    const known = outlines.get(reader.sid)
    if (known?.recording === reader.digest) return known
    await using file = await recordings.keyFrames(reader.sid)
    if (!file) return undefined
    const found = await readOutline(file, key).catch(unlessDamaged)
    if (found?.sid !== reader.sid || found.recording !== reader.digest) {
      log.warn({ sid: reader.sid }, 'the key frames of a recording are not what was made from it; they are made again')
      return undefined
    }
    outlines.set(reader.sid, found)
    return found
  }

  return {
    add,
    async catchUp(all = false) {
      const sids = await recordings.sealedHere()
      if (sids.length === 0) return
      const missing = sidsForm.parse(await thread.ask({ do: 'missing', sids }))
      const dated = await Promise.all(missing.map(async (sid) => ({ sid, time: await timeOf(recordings, sid) })))
      for (const { sid } of dated.toSorted((a, b) => a.time - b.time)) add(sid)
      if (all) for (const sid of sids) if (!missing.includes(sid)) finish(sid)
    },
    async outline(reader) {
      const found = reader.complete ? await outline(reader) : undefined
      // They are made from files on this machine.
      if (!found && reader.complete && reader.length > 0 && (await timeOf(recordings, reader.sid)) > 0) add(reader.sid)
      return found
    },
    async stretchAt(reader, at) {
      const found = await outline(reader)
      const number = found?.stretches.findLastIndex((place) => place.at <= at) ?? -1
      const place = found?.stretches[Math.max(0, number)]
      await using file = place && (await recordings.keyFrames(reader.sid))
      return place && file && { number: Math.max(0, number), stretch: await readStretch(file, place) }
    },
    search: (search) => searchLines(search, async (query) => linesFoundForm.parse(await thread.ask({ do: 'find', query }))),
    async remove(sid) {
      outlines.delete(sid)
      await thread.ask({ do: 'remove', sid })
    },
    settled: () => queue,
    async [Symbol.asyncDispose]() {
      isStopping = true
      await thread[Symbol.asyncDispose]()
      await queue
      await finishing
    },
  }
}

const timeOf = async (recordings: Recordings, sid: string): Promise<number> =>
  stat(recordings.filesOf(sid).recording).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0, // it was just removed
  )

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof RecordingError) || error.code !== 'damaged') throw error
}

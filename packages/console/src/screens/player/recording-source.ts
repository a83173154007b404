/** Where a recording comes from: its stretches, its output, and what is found in it. */
import type { AnswerOf } from '@sallyport/wire/call.ts'
import type { exportFormats, keyframe, search } from '@sallyport/wire/calls/recordings.ts'
import { readStretch, stretchAt, type RecordingTimeline, type Stretch, type WholeTimeline } from './recording-timeline.ts'
import { hitLimit, searchOutput, type OutputHit } from './search-output.ts'
import type { StreamPieces } from './stream-pieces.ts'

/** `cast`: asciicast v2. */
export type ExportFormat = (typeof exportFormats)[number]

export interface RecordingSource {
  stretch(number: number): Promise<Stretch>
  read(offset: number, bytes: number): Promise<Uint8Array>
  /** Begins to fetch what comes after it. */
  prefetch(offset: number): void
  /** Lines that hold a text, oldest first. */
  find(text: string, signal: AbortSignal): Promise<OutputHit[]>
  close(): void
}

/** Ahead of what is played (bytes). */
const aheadOf = 2 * 1024 * 1024

/** A recording whose events were loaded: it is looked through here. `current`: that of a running session grows. */
export const wholeSource = (current: () => WholeTimeline, pieces: StreamPieces): RecordingSource => ({
  stretch: async () => current(),
  read: (offset, bytes) => pieces.read(offset, bytes),
  prefetch: (offset) => pieces.prefetch(Math.max(offset, Math.min(offset + aheadOf, current().totalBytes - 1))),
  find: (text, signal) => searchOutput(current(), (offset, bytes) => pieces.read(offset, bytes), text, signal),
  close: () => pieces.close(),
})

export interface StretchCalls {
  keyframe: (at: number, signal: AbortSignal) => Promise<AnswerOf<typeof keyframe>>
  search: (query: string, limit: number, signal: AbortSignal) => Promise<AnswerOf<typeof search>>
}

/** Stretches that are kept; the player goes back and forth between a few. */
const keptStretches = 8

/**
 * A recording that is fetched as it is played, and looked through by the proxy. What is shown first is asked for at
 * once, while its screen is put up.
 */
export function stretchedSource(timeline: RecordingTimeline, pieces: StreamPieces, calls: StretchCalls, startAt: number): RecordingSource {
  const kept = new Map<number, Promise<Stretch>>()
  const abort = new AbortController()
  const source: RecordingSource = {
    stretch(number) {
      const known = kept.get(number)
      const place = timeline.stretches[number]
      if (known) {
        kept.delete(number)
        kept.set(number, known)
        return known
      }
      if (!place) return Promise.reject(new Error('The recording has no such part.'))
      // Its output at the same time.
      if ((timeline.stretches[number + 1]?.offset ?? timeline.totalBytes) > place.offset) pieces.prefetch(place.offset)
      const stretch = calls.keyframe(place.at, abort.signal).then((frame) => readStretch(place, frame))
      kept.set(number, stretch)
      stretch.catch(() => kept.delete(number)) // fetched anew the next time
      const [oldest] = kept.keys()
      if (kept.size > keptStretches && oldest !== undefined) kept.delete(oldest)
      return stretch
    },
    read: (offset, bytes) => pieces.read(offset, bytes),
    prefetch: (offset) => pieces.prefetch(offset),
    async find(text, signal) {
      const { hits } = await calls.search(text, hitLimit, signal)
      return hits.map(({ at, text: line, from, to }) => ({ at, line, from, to })).toSorted((a, b) => a.at - b.at)
    },
    close() {
      abort.abort()
      pieces.close()
    },
  }
  source.stretch(stretchAt(timeline.stretches, startAt)).catch(() => undefined) // whoever needs it hears of the failure
  return source
}

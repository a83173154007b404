/** A page of lines that were on screens, of recordings that somebody may see. */
import type { LinesFound, LinesOfRecording, LinesQuery } from './find-lines.ts'
import type { IndexedRecording, PassageQuery } from './text-index.ts'
import type { LastWord, TextQuery } from './text-query.ts'

/** A place in a search: first come lines with the very words, then those in which the last one goes on. */
export interface SearchPlace {
  lastWord: LastWord
  before?: number | undefined
}

export interface LineSearch extends Pick<PassageQuery, 'from' | 'to' | 'user' | 'sid'> {
  /** Where an earlier page ended. */
  place?: SearchPlace | undefined
  query: TextQuery
  /** Lines on the page. */
  limit: number
  /** Lines of one recording on the page; then the search goes on with the next. */
  perRecording: number
  accepts: (recording: IndexedRecording) => boolean
}

export interface FoundLine {
  sid: string
  /** Milliseconds since the first output. */
  at: number
  /** The line, or the part of it around what was found. */
  text: string
  from: number
  to: number
}

export interface FoundLines {
  hits: FoundLine[]
  /** Those that the hits are in. */
  recordings: IndexedRecording[]
  /** Where the next page begins; absent when everything was looked through. */
  next?: SearchPlace
}

/** A page that is not full after so many questions lets the caller ask again, so that no search runs for ever. */
const askLimit = 8
/** Whoever may see few recordings is asked for more of them at once, up to so many times. */
const widest = 64
const snippetBefore = 80
const snippetLength = 240

export async function searchLines(
  { query: { words }, limit, perRecording, accepts, place, ...filters }: LineSearch,
  find: (query: LinesQuery) => Promise<LinesFound>,
): Promise<FoundLines> {
  const page = new Page(limit, perRecording, accepts)
  let { lastWord, before }: SearchPlace = place ?? { lastWord: 'whole' }
  let wider = 1
  for (let asked = 0; ; asked += 1) {
    if (page.isFull || asked >= askLimit) return page.answer({ lastWord, before })
    const { found, next } = await find({ ...filters, words, lastWord, before, limit: limit * wider, perRecording })
    for (const group of found) {
      if (page.isFull) return page.answer({ lastWord, before: group.newest + 1 })
      page.take(group)
    }
    wider = Math.min(widest, wider * 4)
    before = next
    if (next !== undefined) continue
    if (lastWord === 'begun') return page.answer()
    lastWord = 'begun'
  }
}

class Page {
  readonly #limit: number
  readonly #perRecording: number
  readonly #accepts: (recording: IndexedRecording) => boolean
  readonly #hits: FoundLine[] = []
  readonly #recordings = new Map<string, { recording: IndexedRecording; accepted: boolean; count: number }>()

  constructor(limit: number, perRecording: number, accepts: (recording: IndexedRecording) => boolean) {
    this.#limit = limit
    this.#perRecording = perRecording
    this.#accepts = accepts
  }

  get isFull(): boolean {
    return this.#hits.length >= this.#limit
  }

  take({ recording, lines }: LinesOfRecording): void {
    const known = this.#recordings.get(recording.sid) ?? { recording, accepted: this.#accepts(recording), count: 0 }
    this.#recordings.set(recording.sid, known)
    if (!known.accepted) return
    for (const { at, text, from, to } of lines.slice(0, this.#perRecording - known.count)) {
      this.#hits.push({ sid: recording.sid, at, ...snippetOf(text, { from, to }) })
      known.count += 1
    }
  }

  answer(next?: SearchPlace): FoundLines {
    const shown = [...this.#recordings.values()].filter(({ count }) => count > 0)
    return { hits: this.#hits, recordings: shown.map(({ recording }) => recording), ...(next && { next }) }
  }
}

function snippetOf(text: string, { from, to }: { from: number; to: number }): { text: string; from: number; to: number } {
  const start = Math.max(0, from - snippetBefore)
  const snippet = text.slice(start, Math.max(to, start + snippetLength))
  return { text: snippet, from: from - start, to: to - start }
}

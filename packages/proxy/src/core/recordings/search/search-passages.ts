/** From passages that hold the words to the lines that do, a page at a time. */
import type { LastWord, TextQuery } from './text-query.ts'
import { firstPassageOf } from './text-index.ts'
import type { IndexedRecording, Passage, PassageQuery } from './text-index.ts'

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

const passagesAtOnce = 50
/** A page that found nothing in so many passages lets the caller ask again, so that no search runs for ever. */
const passageLimit = 2000
const snippetBefore = 80
const snippetLength = 240

export async function searchPassages(
  { query, limit, perRecording, accepts, place, ...filters }: LineSearch,
  find: (query: PassageQuery) => Promise<Passage[]>,
): Promise<FoundLines> {
  const hits: FoundLine[] = []
  const recordings = new Map<string, { recording: IndexedRecording; accepted: boolean; count: number }>()
  let { lastWord, before: cursor }: SearchPlace = place ?? { lastWord: 'whole' }
  let looked = 0
  const answer = (next?: SearchPlace): FoundLines => ({
    hits,
    recordings: [...recordings.values()].filter(({ count }) => count > 0).map(({ recording }) => recording),
    ...(next !== undefined && { next }),
  })
  for (;;) {
    const passages = await find({ ...filters, words: query.words, lastWord, before: cursor, limit: passagesAtOnce })
    let skipTo: number | undefined
    for (const { id, lines, recording } of passages) {
      if (skipTo !== undefined && id >= skipTo) continue
      if (hits.length >= limit || looked >= passageLimit) return answer({ lastWord, before: cursor })
      looked += 1
      const known = recordings.get(recording.sid) ?? { recording, accepted: accepts(recording), count: 0 }
      recordings.set(recording.sid, known)
      // The last moment first, as everything else here.
      for (const line of known.accepted ? lines.toReversed() : []) {
        const found = query.find(line.text, lastWord)
        if (!found || known.count >= perRecording) continue
        hits.push({ sid: recording.sid, at: line.at, ...snippetOf(line.text, found) })
        known.count += 1
      }
      cursor = id
      if (known.accepted && known.count < perRecording) continue
      skipTo = firstPassageOf(id)
      cursor = skipTo
    }
    if (passages.length === passagesAtOnce) continue
    if (lastWord === 'begun') return answer()
    lastWord = 'begun'
    cursor = undefined
    if (hits.length >= limit) return answer({ lastWord })
  }
}

function snippetOf(text: string, { from, to }: { from: number; to: number }): { text: string; from: number; to: number } {
  const start = Math.max(0, from - snippetBefore)
  const snippet = text.slice(start, Math.max(to, start + snippetLength))
  return { text: snippet, from: from - start, to: to - start }
}

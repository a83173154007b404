/** In the library's thread: from passages that hold the words to the lines that do. */
import type { OutputLine } from '@sallyport/protocols/terminal/output-lines.ts'
import { firstPassageOf } from './text-index.ts'
import type { IndexedRecording, PassageQuery, TextIndex } from './text-index.ts'
import { isShortBeginning, textQueryOf } from './text-query.ts'

export interface LinesQuery extends PassageQuery {
  /** Lines, roughly; the passage that has the last one is told to its end. */
  limit: number
  /** Lines of one recording; then it goes on with the next. */
  perRecording: number
}

export interface LinesOfRecording {
  recording: IndexedRecording
  /** Of its newest passage that was looked through. */
  newest: number
  lines: (OutputLine & { from: number; to: number })[]
}

export interface LinesFound {
  found: LinesOfRecording[]
  /** Where to go on; absent when everything was looked through. */
  next?: number | undefined
}

/** Passages that are unpacked for one answer, so that none takes for ever. */
const passageLimit = 500

export async function findLines(index: Pick<TextIndex, 'find'>, query: LinesQuery): Promise<LinesFound> {
  const { words, lastWord, limit, perRecording } = query
  const { find } = textQueryOf(words)
  // All words that begin with a letter or two would have to be brought together first; their lines are read instead.
  const isShort = lastWord === 'begun' && isShortBeginning(words)
  if (isShort && words.length === 1) return { found: [] }
  const passages = index.find(isShort ? { ...query, words: words.slice(0, -1), lastWord: 'whole' } : query)
  const groups = new Map<string, LinesOfRecording>()
  let [looked, count] = [0, 0]
  let next = query.before
  let skipTo: number | undefined
  for (;;) {
    const step = await passages.next(skipTo)
    if (step.done) return { found: [...groups.values()] }
    if (count >= limit || looked >= passageLimit) {
      await passages.return()
      return { found: [...groups.values()], next }
    }
    const { id, recording, lines } = step.value
    looked += 1
    skipTo = undefined
    next = id
    const group = groups.get(recording.sid) ?? { recording, newest: id, lines: [] }
    groups.set(recording.sid, group)
    // The last moment first, as everything else here.
    for (const line of lines().toReversed()) {
      const place = find(line.text, lastWord)
      if (!place || group.lines.length >= perRecording) continue
      group.lines.push({ ...line, ...place })
      count += 1
    }
    if (group.lines.length >= perRecording) next = skipTo = firstPassageOf(id)
  }
}

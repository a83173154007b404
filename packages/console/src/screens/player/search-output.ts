import { OutputLines } from '@sallyport/protocols/terminal/output-lines.ts'
import type { Stretch } from './recording-timeline.ts'

export interface OutputHit {
  /** When the line was complete (ms). */
  at: number
  line: string
  /** Where the match stands in the line. */
  from: number
  to: number
}

/** Hits that are kept; a list longer than that helps nobody. */
export const hitLimit = 500
const readAtOnce = 1024 * 1024

/**
 * Looks through the whole output for a text, letters of either case. Answers the first hits of each line, oldest
 * first; stops early when the signal says so.
 */
export async function searchOutput(
  { prints }: Pick<Stretch, 'prints'>,
  read: (offset: number, bytes: number) => Promise<Uint8Array>,
  query: string,
  signal: AbortSignal,
): Promise<OutputHit[]> {
  const wanted = query.toLowerCase()
  const hits: OutputHit[] = []
  if (wanted === '') return hits
  const lines = new OutputLines(({ at, text }) => {
    const from = text.toLowerCase().indexOf(wanted)
    if (from >= 0 && hits.length < hitLimit) hits.push({ at, line: text, from, to: from + wanted.length })
  })
  for (let index = 0; index < prints.length && hits.length < hitLimit;) {
    const first = prints[index]
    if (!first) break
    let next = index
    let end = first.offset
    for (; next < prints.length && end - first.offset < readAtOnce; next += 1) {
      const print = prints[next]
      if (!print || print.offset !== end) break
      end += print.bytes
    }
    next = Math.max(next, index + 1)
    const bytes = await read(first.offset, Math.max(end - first.offset, first.bytes))
    if (signal.aborted) return []
    for (const { at, offset, bytes: length } of prints.slice(index, next))
      lines.push(bytes.subarray(offset - first.offset, offset - first.offset + length), at)
    index = next
  }
  lines.end()
  return hits
}

/** What was on the screens of all recordings, to be looked through at once. */
import type { OutputLine } from '@sallyport/protocols/terminal/output-lines.ts'
import { z } from 'zod'
import type { LastWord } from './text-query.ts'

/** What the search needs to know of a recording beside its text. */
export interface IndexedRecording {
  sid: string
  /** Epoch milliseconds. */
  start: number
  people: readonly string[]
  /** The event that ended the session, for whoever decides about access and shows the hit. */
  event: Readonly<Record<string, unknown>>
}

/** Lines that stand together in the index. Its number grows with the time at which the recording was indexed. */
export interface Passage {
  id: number
  /** Unpacks them. */
  lines: () => OutputLine[]
  recording: IndexedRecording
}

export interface PassageQuery {
  /** They follow each other. */
  words: readonly string[]
  /** Whether the last is a word, or goes on: places where it does not may be among those that are found then. */
  lastWord: LastWord
  /** Epoch milliseconds of the session's start. */
  from?: number | undefined
  to?: number | undefined
  user?: string | undefined
  sid?: string | undefined
  /** Only passages before this one. */
  before?: number | undefined
}

export interface TextIndex extends AsyncDisposable {
  /** Begins a recording anew: what was there of it goes. */
  begin(recording: IndexedRecording): Promise<PassageWriter>
  /** The newest first. Passages down to the number that is handed to `next` are passed over. */
  find(query: PassageQuery): AsyncGenerator<Passage, void, number | undefined>
  remove(sid: string): Promise<void>
  /** Those of the sids that are not completely indexed. */
  missing(sids: readonly string[]): Promise<string[]>
}

export interface PassageWriter {
  add(passages: readonly OutputLine[][]): Promise<void>
  /** From then on the recording is found. */
  end(): Promise<void>
}

/** Passages of one recording have numbers next to each other, from its own number times this on. */
export const passagesPerRecording = 2 ** 20
/** The first number of the recording that a passage belongs to. */
export const firstPassageOf = (id: number): number => Math.floor(id / passagesPerRecording) * passagesPerRecording

const storedLines = z.array(z.tuple([z.number(), z.string()]))
export const packLines = (lines: readonly OutputLine[]): string => JSON.stringify(lines.map(({ at, text }) => [at, text]))
export const unpackLines = (text: string): OutputLine[] => storedLines.parse(JSON.parse(text)).map(([at, line]) => ({ at, text: line }))
export const storedEvent = z.record(z.string(), z.unknown())
export const storedPeople = z.array(z.string())

/** About so many letters make a passage. */
const passageLength = 4000

/** Puts lines together to passages. A line that is there again at once, as progress bars write them, counts once. */
export class PassageBuilder {
  #lines: OutputLine[] = []
  #length = 0
  #before = ''

  /** Returns the passages that are full. */
  add(lines: readonly OutputLine[]): OutputLine[][] {
    const full: OutputLine[][] = []
    for (const line of lines) {
      if (line.text === this.#before) continue
      this.#before = line.text
      this.#lines.push(line)
      this.#length += line.text.length
      if (this.#length >= passageLength) full.push(this.take())
    }
    return full
  }

  take(): OutputLine[] {
    const lines = this.#lines
    this.#lines = []
    this.#length = 0
    return lines
  }
}

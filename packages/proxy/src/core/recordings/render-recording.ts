/** One pass over a finished recording: key frames for its player, and readable lines for the search. */
import { OutputLines } from '@sallyport/protocols/terminal/output-lines.ts'
import type { OutputLine } from '@sallyport/protocols/terminal/output-lines.ts'
import type { KeyFrameWriter, Outline, Stretch } from './key-frames.ts'
import { RecordedScreen } from './recorded-screen.ts'
import type { ScreenSize } from './recorded-screen.ts'
import type { RecordingReader } from './recording-reader.ts'
import type { RecordedEvent, RecordingRecord } from './records.ts'
import { shellMarks } from './shell-commands.ts'

/** A stretch ends after so much output, which is shown in a few hundredths of a second, ... */
const stretchBytes = 128 * 1024
/** ... so many prints, ... */
const stretchPrints = 8000
/** ... or after so long, if at least this much was printed. */
const stretchTime = 30_000
const worthPicture = 64 * 1024
const writeAtOnce = 64 * 1024
const waveParts = 240
/** Silence from here on is idleness, as in the player. */
const idleFrom = 3000
const idleLimit = 5000
/** Events in the outline; a recording with more of them shows those that came first. */
const eventLimit = 5000
const defaultSize: ScreenSize = { columns: 80, rows: 25 }

export interface RenderSinks {
  frames: KeyFrameWriter
  /** Awaited, so that a slow index slows the pass. */
  lines: (lines: OutputLine[]) => Promise<void>
}

/** Without output there is nothing to show: then nothing is written, and undefined is returned. */
export async function renderRecording(reader: RecordingReader, sinks: RenderSinks): Promise<Omit<Outline, 'stretches'> | undefined> {
  const pass = new Pass(reader, sinks)
  try {
    for await (const { records, output } of reader.chunks()) await pass.chunk(records, output)
    return await pass.end()
  } finally {
    pass.dispose()
  }
}

class Pass {
  readonly #reader: RecordingReader
  readonly #sinks: RenderSinks
  readonly #screen: RecordedScreen
  readonly #lines: OutputLines
  #found: OutputLine[] = []
  #zero: number | undefined
  #stretch: Stretch = { ...defaultSize, prints: [], sizes: [] }
  #begin = { at: 0, offset: 0 }
  #bytes = 0
  #printed = 0
  /** Of the last print. */
  #last = 0
  #unwritten: Buffer[] = []
  readonly #wave = Array.from({ length: waveParts }, () => 0)
  readonly #idles: { from: number; to: number }[] = []
  readonly #events: Record<string, unknown>[] = []

  constructor(reader: RecordingReader, sinks: RenderSinks) {
    this.#reader = reader
    this.#sinks = sinks
    this.#screen = new RecordedScreen(defaultSize)
    this.#lines = new OutputLines((line) => this.#found.push(line))
  }

  async chunk(records: readonly RecordingRecord[], output: Buffer): Promise<void> {
    let at = 0
    for (const record of records) {
      if (record.kind === 'event') {
        await this.#event(record)
        continue
      }
      await this.#print(record, output.subarray(at, at + record.bytes))
      at += record.bytes
    }
    await this.#flush()
    await this.#handOver()
  }

  async end(): Promise<Omit<Outline, 'stretches'> | undefined> {
    this.#lines.end()
    await this.#handOver()
    const zero = this.#zero
    if (zero === undefined) return undefined
    await this.#sinks.frames.add(this.#stretch, this.#begin)
    const { sid, digest, start, durationMs } = this.#reader
    const duration = Math.max(0, durationMs - zero)
    this.#silence(duration)
    const most = Math.log1p(Math.max(...this.#wave, 1))
    const outline = {
      sid,
      recording: digest,
      zero: start + zero,
      duration,
      bytes: this.#begin.offset + this.#bytes,
      events: this.#events,
      wave: this.#wave.map((sum) => Math.round((Math.log1p(sum) / most) * 1000) / 1000),
      idles: this.#idles,
      commands: [...this.#screen.commands],
    }
    await this.#sinks.frames.end(outline)
    return outline
  }

  dispose(): void {
    this.#screen.dispose()
  }

  async #print({ ms, offset }: { ms: number; offset: number }, bytes: Buffer): Promise<void> {
    this.#zero ??= ms
    const at = ms - this.#zero
    if (this.#stretch.prints.length === 0 && this.#bytes === 0) this.#begin.offset = offset
    this.#silence(at)
    const rest = this.#reader.durationMs - this.#zero
    const part = rest > 0 ? Math.min(waveParts - 1, Math.floor((at / rest) * waveParts)) : 0
    this.#wave[part] = (this.#wave[part] ?? 0) + bytes.length
    this.#stretch.prints.push(at - (this.#stretch.prints.length === 0 ? this.#begin.at : this.#last), bytes.length)
    this.#last = at
    this.#bytes += bytes.length
    this.#lines.push(bytes, at)
    const isMarked = shellMarks.some((mark) => bytes.includes(mark))
    if (isMarked) await this.#flush()
    this.#screen.now = at
    this.#unwritten.push(bytes)
    this.#printed += bytes.length
    if (isMarked || this.#printed >= writeAtOnce) await this.#flush()
    if (this.#isLongEnough(at) && this.#lines.betweenSequences && endsWhole(bytes)) await this.#nextStretch(at, offset + bytes.length)
  }

  #isLongEnough(at: number): boolean {
    return (
      this.#bytes >= stretchBytes ||
      this.#stretch.prints.length >= stretchPrints * 2 ||
      (at - this.#begin.at >= stretchTime && this.#bytes >= worthPicture)
    )
  }

  async #nextStretch(at: number, offset: number): Promise<void> {
    await this.#flush()
    await this.#sinks.frames.add(this.#stretch, this.#begin)
    const screen = this.#screen.picture()
    this.#stretch = { ...this.#screen.size, ...(screen !== undefined && { screen }), prints: [], sizes: [] }
    this.#begin = { at, offset }
    this.#bytes = 0
    await this.#handOver()
  }

  async #event({ ei, ms, event }: { ei: number; ms: number; event: RecordedEvent }): Promise<void> {
    const size = sizeOf(event)
    if (size) {
      await this.#flush()
      this.#screen.resize(size)
      if (this.#zero === undefined) Object.assign(this.#stretch, size)
      else this.#stretch.sizes.push(Math.max(0, ms - this.#zero - this.#begin.at), size.columns, size.rows)
    }
    if (this.#events.length < eventLimit || event.event === 'session.end')
      this.#events.push({ ...event, ei, time: new Date(this.#reader.start + ms).toISOString() })
  }

  #silence(until: number): void {
    if (until - this.#last > idleFrom && this.#idles.length < idleLimit) this.#idles.push({ from: this.#last, to: until })
  }

  async #flush(): Promise<void> {
    const bytes = this.#unwritten.length === 1 ? this.#unwritten[0] : Buffer.concat(this.#unwritten)
    this.#unwritten = []
    this.#printed = 0
    if (bytes) await this.#screen.write(bytes)
  }

  async #handOver(): Promise<void> {
    const lines = this.#found
    this.#found = []
    if (lines.length > 0) await this.#sinks.lines(lines)
  }
}

function sizeOf(event: RecordedEvent): ScreenSize | undefined {
  if (event.event !== 'session.start' && event.event !== 'resize') return undefined
  const [columns = 0, rows = 0] = String(event['size'] ?? '')
    .split(':')
    .map(Number)
  return Number.isInteger(columns) && Number.isInteger(rows) && columns > 0 && rows > 0 ? { columns, rows } : undefined
}

/** Whether no character is cut at the end. */
export function endsWhole(bytes: Uint8Array): boolean {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return true
    if (byte >= 0xc0) return back >= (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2)
  }
  return true
}

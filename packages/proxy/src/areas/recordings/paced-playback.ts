/** Plays a recording by the clock: output goes out when its time has come, at once up to where somebody seeks. */
import { encodeError, encodeOutput, encodeSize, playbackOutputLimit } from '@sallyport/wire/sockets/playback.ts'
import type { PlaybackCommand } from '@sallyport/wire/sockets/playback.ts'
import type { RecordingReader } from '../../core/recordings/recording-reader.ts'
import type { RecordedEvent } from '../../core/recordings/records.ts'

export interface PacedPlaybackHost {
  /** The recording as it is now, if it may still be seen. */
  open: () => Promise<RecordingReader>
  send: (bytes: Uint8Array) => Promise<void>
  /** Milliseconds of a clock that only goes forward. */
  now: () => number
}

/** A running session is looked at so often; it is written twice a second. */
const askAgainAfter = 500
/** What was on the screen goes before a recording begins anew. */
const emptyScreen = Buffer.from('\x1bc')

export class PacedPlayback {
  readonly #host: PacedPlaybackHost
  #isPlaying = true
  /** The recording was at `ms` when the clock was at `at`. */
  #anchor: { ms: number; at: number }
  #sent = 0
  #rewinds = false
  #isClosed = false
  #failure: string | undefined
  #wake: () => void = () => undefined

  constructor(host: PacedPlaybackHost) {
    this.#host = host
    this.#anchor = { ms: 0, at: host.now() }
  }

  take(command: PlaybackCommand): void {
    const ms = command.do === 'seek' ? command.ms : this.#ms
    this.#anchor = { ms, at: this.#host.now() }
    if (command.do !== 'seek') this.#isPlaying = command.do === 'play'
    else if (ms < this.#sent) this.#rewinds = true
    this.#wake()
  }

  /** Ends with a word to the client. */
  fail(text: string): void {
    this.#failure ??= text
    this.#wake()
  }

  close(): void {
    this.#isClosed = true
    this.#wake()
  }

  tell(text: string): Promise<void> {
    return this.#isClosed ? Promise.resolve() : this.#host.send(encodeError(text))
  }

  /** Resolves when the recording has ended, or somebody has ended this. Rejects when it cannot be read. */
  async run(): Promise<void> {
    let next = 0
    while (!this.#isOver) {
      if (this.#rewinds) {
        this.#rewinds = false
        next = this.#sent = 0
        await this.#host.send(encodeOutput(0, emptyScreen))
      }
      await using reader = await this.#host.open()
      await this.#play(reader, next)
      if (this.#isOver || this.#rewinds) continue
      next = reader.nextEi
      if (reader.complete) {
        await this.#waitFor(reader.durationMs)
        if (this.#isOver || this.#rewinds) continue
        return await this.#host.send(encodeOutput(reader.durationMs, Buffer.alloc(0)))
      }
      await this.#sleep(askAgainAfter)
    }
    if (this.#failure !== undefined) await this.tell(this.#failure)
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#failure !== undefined
  }

  /** Where the recording is now. */
  get #ms(): number {
    return Math.floor(this.#anchor.ms + (this.#isPlaying ? this.#host.now() - this.#anchor.at : 0))
  }

  async #play(reader: RecordingReader, from: number): Promise<void> {
    for await (const { records, output } of reader.chunks(from)) {
      let at = 0
      for (const record of records) {
        const bytes = record.kind === 'print' ? output.subarray(at, at + record.bytes) : undefined
        at += bytes?.length ?? 0
        if (record.ei < from) continue
        await this.#waitFor(record.ms)
        if (this.#isOver || this.#rewinds) return
        this.#sent = record.ms
        if (record.kind === 'event') await this.#size(record.event)
        if (bytes) await this.#output(record.ms, bytes)
      }
    }
  }

  async #output(ms: number, bytes: Buffer): Promise<void> {
    for (let begin = 0; begin < bytes.length; begin += playbackOutputLimit)
      await this.#host.send(encodeOutput(ms, bytes.subarray(begin, begin + playbackOutputLimit)))
  }

  async #size({ event, size }: RecordedEvent): Promise<void> {
    const [, columns, rows] = ((event === 'session.start' || event === 'resize') && /^(\d{1,4}):(\d{1,4})$/.exec(String(size))) || []
    if (columns !== undefined && rows !== undefined) await this.#host.send(encodeSize(Number(columns), Number(rows)))
  }

  async #waitFor(ms: number): Promise<void> {
    while (!this.#isOver && !this.#rewinds && this.#ms < ms) await this.#sleep(this.#isPlaying ? ms - this.#ms : undefined)
  }

  /** Until the time is over or somebody asks for something; without a time, until then. */
  #sleep(time: number | undefined): Promise<void> {
    return new Promise((resolve) => {
      const timer = time === undefined ? undefined : setTimeout(resolve, Math.min(time, 2 ** 31 - 1))
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

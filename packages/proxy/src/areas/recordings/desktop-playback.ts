/** Plays the recording of a desktop by the clock, at any speed, from any moment. */
import type { DesktopCommand } from '@sallyport/wire/sockets/desktop-playback.ts'
import { fastestSpeed, slowestSpeed } from '@sallyport/wire/sockets/desktop-playback.ts'
import { recordedLength } from '@sallyport/wire/sockets/desktop-cutter.ts'
import type { RecordingReader } from '../../core/recordings/recording-reader.ts'
import type { RecordedEvent } from '../../core/recordings/records.ts'

export interface DesktopPlaybackHost {
  /** The recording as it is now, if it may still be seen. */
  open: () => Promise<RecordingReader>
  /** Resolves when the text is on its way. */
  send: (json: string) => Promise<void>
  /** Milliseconds of a clock that only goes forward. */
  now: () => number
}

/** A running session is looked at so often; it is written twice a second. */
const askAgainAfter = 500
/** A whole picture is looked for so far before a moment, in milliseconds, and then further. */
const lookBack = 15_000
const keyFrameEvent = 'desktop.keyframe'

interface Place {
  ei: number
  ms: number
}

export class DesktopPlayback {
  readonly #host: DesktopPlaybackHost
  #isPlaying = true
  #speed = 1
  /** The recording was at `ms` when the clock was at `at`. */
  #anchor: { ms: number; at: number }
  /** Up to where it was shown. */
  #shown = 0
  #jump: number | undefined
  #isOver = false
  #wake: () => void = () => undefined

  constructor(host: DesktopPlaybackHost) {
    this.#host = host
    this.#anchor = { ms: 0, at: host.now() }
  }

  take(command: DesktopCommand): void {
    const ms = command.action === 'seek' ? Math.max(0, command.pos) : this.#ms
    this.#anchor = { ms, at: this.#host.now() }
    if (command.action === 'play/pause') this.#isPlaying = !this.#isPlaying
    else if (command.action === 'speed') this.#speed = Math.min(fastestSpeed, Math.max(slowestSpeed, command.speed))
    else this.#jump = ms
    this.#wake()
  }

  close(): void {
    this.#isOver = true
    this.#wake()
  }

  /** Resolves when somebody has ended it. At the end of the recording it waits for somebody to go back. Rejects when it cannot be read. */
  async run(): Promise<void> {
    let from = 0
    while (!this.#isOver) {
      await using reader = await this.#host.open()
      if (this.#jump !== undefined) from = await this.#landing(reader, this.#jump, from)
      this.#jump = undefined
      await this.#play(reader, from)
      if (this.#isInterrupted) continue
      from = reader.nextEi
      if (!reader.complete) {
        await this.#sleep(askAgainAfter)
        continue
      }
      await this.#waitFor(reader.durationMs)
      if (this.#isInterrupted) continue
      return await this.#host.send(JSON.stringify({ message: 'end' }))
    }
  }

  get #isInterrupted(): boolean {
    return this.#isOver || this.#jump !== undefined
  }

  /** Where the recording is now. */
  get #ms(): number {
    return this.#anchor.ms + (this.#isPlaying ? (this.#host.now() - this.#anchor.at) * this.#speed : 0)
  }

  /** The record to go on from: the last whole picture before the moment, unless what follows what is shown is nearer. */
  async #landing(reader: RecordingReader, ms: number, from: number): Promise<number> {
    let best: Place = this.#shown <= ms ? { ei: from, ms: this.#shown } : { ei: 0, ms: 0 }
    // Most have one a little before; while nothing was drawn there is none.
    for (let back = lookBack; ; back *= 8) {
      const first = reader.eiAt(ms - back)
      let found: Place | undefined
      for await (const record of reader.records(first)) {
        if (record.ms > ms) break
        if (record.kind === 'event' && record.event.event === keyFrameEvent) found = record
      }
      if (found && found.ms >= best.ms) best = found
      if (found || first === 0 || ms - back <= best.ms) break
    }
    this.#shown = best.ms
    return best.ei
  }

  async #play(reader: RecordingReader, from: number): Promise<void> {
    let rest: Buffer = Buffer.alloc(0)
    /** Bytes of a whole picture that repeats what is on the screen. */
    let repeated = 0
    for await (const { records, output } of reader.chunks(from)) {
      let at = 0
      for (const record of records) {
        if (record.kind === 'event') {
          if (record.ei > from) repeated = keyFrameLength(record.event)
          continue
        }
        const bytes = output.subarray(at, at + record.bytes)
        at += bytes.length
        if (record.ei < from) continue
        await this.#waitFor(record.ms)
        if (this.#isInterrupted) return
        const skipped = Math.min(repeated, bytes.length)
        repeated -= skipped
        rest = Buffer.concat([rest, bytes.subarray(skipped)])
        for (let length = recordedLength(rest); length !== undefined && rest.length >= length; length = recordedLength(rest)) {
          await this.#show(reader, record, rest.subarray(0, length))
          rest = rest.subarray(length)
        }
        this.#shown = record.ms
      }
    }
  }

  #show(reader: RecordingReader, { ei, ms }: Place, message: Buffer): Promise<void> {
    const time = new Date(reader.start + ms).toISOString()
    return this.#host.send(JSON.stringify({ ei, event: 'desktop.recording', time, message: message.toString('base64'), ms }))
  }

  async #waitFor(ms: number): Promise<void> {
    while (!this.#isInterrupted && this.#ms < ms) await this.#sleep(this.#isPlaying ? (ms - this.#ms) / this.#speed : undefined)
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

const keyFrameLength = ({ event, bytes }: RecordedEvent): number => (event === keyFrameEvent && typeof bytes === 'number' ? bytes : 0)

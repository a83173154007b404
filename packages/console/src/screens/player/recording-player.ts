import { createStore, type Store } from '../../ui/store.ts'
import { printsUntil, sizeAt, stretchAt, type RecordingTimeline, type Stretch, type WholeTimeline } from './recording-timeline.ts'

export const speeds = [0.25, 0.5, 1, 2, 4, 8, 16] as const
export type Speed = (typeof speeds)[number]

/** Where the recording is shown. What is asked of it happens in the order it was asked. */
export interface PlayerScreen {
  /** Empties the screen and its scrollback. */
  reset(): void
  resize(size: { columns: number; rows: number }): void
  /** Resolves when the bytes are on the screen. */
  write(bytes: Uint8Array): Promise<void>
}

export interface PlayerHost {
  screen: PlayerScreen
  read: (offset: number, bytes: number) => Promise<Uint8Array>
  /** A stretch of the recording, by its number. */
  stretch: (number: number) => Promise<Stretch>
  /** Begins to fetch what will be read next. */
  prefetch: (offset: number) => void
  /** Milliseconds of a clock that only goes forward. */
  now: () => number
  /** Runs the task before the next frame; answers how to cancel it. */
  nextFrame: (task: () => void) => () => void
}

export interface PlayerState {
  playing: boolean
  /** At the end, with nothing left to play. */
  ended: boolean
  /** At the end of a session that still runs: what comes is shown as it comes. */
  live: boolean
  speed: Speed
  skipIdle: boolean
  /** Output is being fetched or written to get to the position. */
  seeking: boolean
  /** Why output could not be fetched; playing or seeking tries again. */
  failure?: string
}

/** Time that one frame may advance: a page in the background stands still instead of leaping. */
const longestFrame = 250
/** How much of an idle stretch is still played when idleness is skipped. */
const idleKept = 500
/** Bytes written at once; between two of them a newer seek takes over. */
const writeAtOnce = 1024 * 1024

/** Plays a recording onto a screen. Position and screen always agree once `seeking` is false. */
export class RecordingPlayer {
  /** That of a running session grows. */
  readonly shown: Store<RecordingTimeline>
  readonly state: Store<PlayerState> = createStore<PlayerState>({
    playing: false,
    ended: false,
    live: false,
    speed: 1,
    skipIdle: true,
    seeking: false,
  })
  /** Milliseconds into the recording; changes with every frame while it plays. */
  readonly position: Store<{ ms: number }> = createStore({ ms: 0 })
  readonly #host: PlayerHost
  /** The stretch that the screen is in. */
  #number = 0
  #stretch: Stretch | undefined
  /** All of a running session, as far as it is known. */
  #grown: Stretch | undefined
  /** Prints of it that are on the screen. */
  #written = 0
  #resized = -1
  #round = 0
  #lastFrame = 0
  #cancelFrame: (() => void) | undefined

  constructor(timeline: RecordingTimeline, host: PlayerHost) {
    this.shown = createStore(timeline)
    this.#host = host
  }

  get timeline(): RecordingTimeline {
    return this.shown.get()
  }

  /** The same recording with what came since. */
  extend(timeline: WholeTimeline): void {
    this.shown.set(timeline)
    this.#grown = timeline
    if (this.#stretch) this.#stretch = timeline
    if (!this.state.get().live) return
    this.position.set({ ms: timeline.duration })
    if (!timeline.isRunning) this.#set({ live: false, playing: false, ended: true })
    void this.#show(timeline.duration)
  }

  /** Goes to the end of a running session and stays there. */
  goLive(): void {
    this.seek(this.timeline.duration)
    this.#stayAtEnd()
  }

  /** The end; of a running session the place where it is shown as it goes on. */
  goToEnd(): void {
    if (this.timeline.isRunning) this.goLive()
    else this.seek(this.timeline.duration)
  }

  #stayAtEnd(): void {
    this.pause()
    this.#set({ live: true, playing: true })
  }

  play(): void {
    if (this.state.get().playing) return
    const { duration, isRunning } = this.timeline
    const atEnd = this.position.get().ms >= duration
    if (atEnd && isRunning) return this.goLive()
    this.#set({ playing: true, ended: false })
    if (atEnd) this.seek(0)
    this.#lastFrame = this.#host.now()
    this.#schedule()
  }

  pause(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    this.#set({ playing: false, live: false })
  }

  toggle(): void {
    if (this.state.get().playing) this.pause()
    else this.play()
  }

  /** Goes to a time, kept within the recording. Playing goes on from there. */
  seek(ms: number): void {
    const target = Math.min(Math.max(0, ms), this.timeline.duration)
    this.position.set({ ms: target })
    if (target < this.timeline.duration) this.#set({ ended: false })
    this.#lastFrame = this.#host.now()
    if (this.state.get().live && target < this.timeline.duration) {
      this.#set({ live: false })
      this.#schedule()
    }
    void this.#show(target)
  }

  skip(by: number): void {
    this.seek(this.position.get().ms + by)
  }

  setSpeed(speed: Speed): void {
    this.#set({ speed })
  }

  /** One step faster or slower. */
  stepSpeed(by: 1 | -1): void {
    const next = speeds[speeds.indexOf(this.state.get().speed) + by]
    if (next !== undefined) this.setSpeed(next)
  }

  setSkipIdle(skipIdle: boolean): void {
    this.#set({ skipIdle })
  }

  dispose(): void {
    this.pause()
    this.#round += 1
  }

  #set(change: Partial<PlayerState>): void {
    this.state.set((now) => ({ ...now, ...change }))
  }

  #schedule(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = this.#host.nextFrame(() => {
      this.#frame()
      const { playing, live } = this.state.get()
      if (playing && !live) this.#schedule()
    })
  }

  #frame(): void {
    const now = this.#host.now()
    const passed = Math.min(now - this.#lastFrame, longestFrame)
    this.#lastFrame = now
    const { speed, skipIdle, seeking } = this.state.get()
    if (seeking) return // the clock waits for the screen
    const { duration, idles, isRunning } = this.timeline
    let ms = this.position.get().ms + passed * speed
    const idle = skipIdle ? idles.find(({ from, to }) => ms >= from + idleKept && ms < to) : undefined
    if (idle) ms = idle.to
    if (ms >= duration) {
      if (isRunning) this.#stayAtEnd()
      else {
        this.pause()
        this.#set({ ended: true })
      }
      ms = duration
    }
    this.position.set({ ms })
    void this.#show(ms)
  }

  /** Brings the screen to the output of a time. A newer call takes over from an older one. */
  async #show(target: number): Promise<void> {
    const wanted = stretchAt(this.timeline.stretches, target)
    if (this.#stretch && wanted === this.#number && this.#isShown(this.#stretch, target)) {
      this.#round += 1
      if (this.state.get().seeking) this.#set({ seeking: false })
      return
    }
    const round = (this.#round += 1)
    const isOver = (): boolean => round !== this.#round
    this.#set({ seeking: true })
    try {
      const entry = this.#entryFor(wanted, target)
      if (entry !== undefined && !(await this.#enter(entry, isOver))) return
      for (;;) {
        const stretch = (this.#stretch ??= await this.#read(this.#number))
        if (isOver() || !(await this.#write(stretch, target, isOver))) return
        if (this.#number >= wanted) break
        const next = await this.#read(this.#number + 1)
        if (isOver()) return
        // The screen goes on as it is; the size that the next stretch begins with is the one it has.
        this.#number += 1
        this.#stretch = next
        this.#written = 0
        this.#resized = 0
      }
      this.#resizeFor(target)
      this.#prefetchNext()
      this.state.set((now) => {
        const settled = { ...now, seeking: false }
        delete settled.failure
        return settled
      })
    } catch (cause) {
      if (isOver()) return
      this.pause()
      this.#set({ seeking: false, failure: cause instanceof Error ? cause.message : String(cause) })
    }
  }

  async #read(number: number): Promise<Stretch> {
    const stretch = await this.#host.stretch(number)
    return this.#grown ?? stretch // it may have grown meanwhile
  }

  #isShown({ prints, sizes }: Stretch, target: number): boolean {
    return printsUntil(prints, target) === this.#written && sizes.indexOf(sizeAt(sizes, target)) === this.#resized
  }

  /** The stretch to begin anew with; undefined when the screen can go on to the target. */
  #entryFor(wanted: number, target: number): number | undefined {
    const { stretches } = this.timeline
    const entry = Math.max(
      0,
      stretches.findLastIndex(({ hasScreen }, number) => hasScreen && number <= wanted),
    )
    const current = this.#stretch
    if (!current) return entry
    const { prints, sizes } = current
    const isBehind =
      wanted < this.#number ||
      (wanted === this.#number && (printsUntil(prints, target) < this.#written || sizes.indexOf(sizeAt(sizes, target)) < this.#resized))
    // The next stretch is cheaper to play into than to enter.
    return isBehind || entry > this.#number + 1 ? entry : undefined
  }

  /** Empties the screen and puts the picture of a stretch on it. False when a newer call took over. */
  async #enter(number: number, isOver: () => boolean): Promise<boolean> {
    const stretch = await this.#read(number)
    if (isOver()) return false
    if (this.#resized >= 0) this.#host.screen.reset()
    this.#number = number
    this.#stretch = stretch
    this.#written = 0
    this.#resized = -1
    this.#resizeFor(this.timeline.stretches[number]?.at ?? 0)
    // The output that follows goes to the screen right behind it.
    if (stretch.screen !== undefined) void this.#host.screen.write(new TextEncoder().encode(stretch.screen))
    return true
  }

  /** Writes the output of a stretch up to a time. False when a newer call took over. */
  async #write(stretch: Stretch, target: number, isOver: () => boolean): Promise<boolean> {
    const { prints } = stretch
    const until = printsUntil(prints, target)
    while (this.#written < until) {
      const from = prints[this.#written]
      if (!from) break
      this.#resizeFor(from.at)
      const upTo = this.#runEnd(stretch, until)
      const last = prints[upTo - 1] ?? from
      const bytes = await this.#host.read(from.offset, last.offset + last.bytes - from.offset)
      if (isOver()) return false
      this.#written = upTo // the screen takes its output in order, so it counts as shown from here
      await this.#host.screen.write(bytes)
      if (isOver()) return false
    }
    return true
  }

  /** Prints from `#written` on that share a window size, lie next to each other and are not too many bytes. */
  #runEnd({ prints, sizes }: Stretch, until: number): number {
    const nextSize = sizes[this.#resized + 1]
    let bytes = 0
    let index = this.#written
    let end = prints[index]?.offset ?? 0
    for (; index < until; index += 1) {
      const print = prints[index]
      if (!print || print.offset !== end || (nextSize && print.at >= nextSize.at)) break
      bytes += print.bytes
      end += print.bytes
      if (bytes >= writeAtOnce) return index + 1
    }
    return Math.max(index, this.#written + 1)
  }

  #resizeFor(time: number): void {
    const sizes = this.#stretch?.sizes ?? [this.timeline.firstSize].map((size) => ({ at: 0, ...size }))
    const index = sizes.indexOf(sizeAt(sizes, time))
    const size = sizes[index]
    if (!size || index === this.#resized) return
    this.#resized = index
    this.#host.screen.resize(size)
  }

  #prefetchNext(): void {
    const { stretches } = this.timeline
    if (stretches[this.#number + 1]) void this.#host.stretch(this.#number + 1).catch(() => undefined) // who needs it hears of the failure
    const next = this.#stretch?.prints[this.#written]?.offset ?? stretches[this.#number + 1]?.offset
    if (next !== undefined) this.#host.prefetch(next)
  }
}

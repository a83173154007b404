import type { AuditEventWire } from '@sallyport/wire/audit/event.ts'
import type { AnswerOf } from '@sallyport/wire/call.ts'
import type { keyframe, outline as recordingOutline } from '@sallyport/wire/calls/recordings.ts'
import { parseSize } from '@sallyport/wire/sockets/terminal.ts'
import { commandMark, markOf, type Mark } from './recording-marks.ts'

/** A piece of output: when it appeared, and where its bytes lie in the stream. Times in ms since the first output. */
export interface Print {
  at: number
  offset: number
  bytes: number
}
export interface Resize {
  at: number
  columns: number
  rows: number
}
/** A stretch without output. */
export interface Idle {
  from: number
  to: number
}

/** Where a recording can be entered: what comes before it is in its screen, if it has one. */
export interface StretchPlace {
  at: number
  /** Where its output begins in the stream. */
  offset: number
  hasScreen: boolean
}

/** What is played between one place and the next. */
export interface Stretch {
  /** Output that brings an empty terminal of the first size to where the stretch begins. */
  screen?: string | undefined
  prints: readonly Print[]
  /** The first is the size at the beginning. */
  sizes: readonly Resize[]
}

export interface RecordingTimeline {
  /** Milliseconds. */
  duration: number
  startedAt: Date
  /** Who and where: "root@web-1". */
  title: string
  login: string
  hostname: string
  clusterName: string
  participants: readonly string[]
  firstSize: { columns: number; rows: number }
  marks: readonly Mark[]
  idles: readonly Idle[]
  /** Output over time (outputWave). */
  wave: readonly number[]
  /** At least one. */
  stretches: readonly StretchPlace[]
  /** Where the output ends in the stream. */
  totalBytes: number
  /** The session goes on; what is known ends where it was when it was asked for. */
  isRunning: boolean
  /** What the proxy says of the signature; absent when it says nothing. */
  seal?: 'signed' | 'unsigned' | 'forged'
}

/** A recording whose prints are all known: one stretch from its beginning to its end. */
export interface WholeTimeline extends RecordingTimeline, Stretch {}

/** Silence shorter than this is a pause of thought, not idleness. */
export const idleFrom = 3000
const waveSlices = 240

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
const defaultSize = { columns: 80, rows: 25 }

/**
 * Reads the events of a recording. Undefined when it holds no output. A print's own `ms` is the clock of everything;
 * other events are placed by their time against the first print's, and never outside of the recording.
 */
export function readTimeline(events: readonly AuditEventWire[], durationMs: number | undefined): WholeTimeline | undefined {
  const last = events.findIndex(({ event }) => event === 'session.end')
  const own = last < 0 ? events : events.slice(0, last + 1)
  const prints: Print[] = []
  let firstTime: number | undefined
  let firstAt = 0
  for (const event of own) {
    const [at, offset, bytes] = [number(event['ms']), number(event['offset']), number(event['bytes'])]
    if (event.event !== 'print' || at === undefined || offset === undefined || bytes === undefined) continue
    if (prints.length === 0) [firstTime, firstAt] = [Date.parse(event.time), at]
    prints.push({ at: Math.max(at - firstAt, prints.at(-1)?.at ?? 0), offset, bytes })
  }
  const lastPrint = prints.at(-1)
  if (!lastPrint || firstTime === undefined || Number.isNaN(firstTime)) return undefined
  const end = own.find(({ event }) => event === 'session.end')
  const duration = Math.max(lastPrint.at, end ? Math.max(0, Date.parse(end.time) - firstTime || 0) : (durationMs ?? 0))
  const { sizes, ...facts } = readFacts(own, firstTime, duration)
  return {
    ...facts,
    isRunning: end === undefined,
    duration,
    prints,
    sizes,
    idles: idleStretches(prints, duration),
    wave: outputWave(prints, duration, waveSlices),
    stretches: [{ at: 0, offset: prints[0]?.offset ?? 0, hasScreen: false }],
    totalBytes: prints.reduce((most, { offset, bytes }) => Math.max(most, offset + bytes), 0),
  }
}

/** The same from what a proxy tells at a glance; prints and sizes come with each stretch. */
export function outlineTimeline(outline: AnswerOf<typeof recordingOutline>): RecordingTimeline | undefined {
  const { events, zero, durationMs, bytes, wave, idles, commands, stretches, seal } = outline
  if (stretches.length === 0) return undefined
  const { sizes: _sizes, ...facts } = readFacts(events, Date.parse(zero), durationMs)
  const marks = [...facts.marks, ...commands.flatMap((command) => commandMark(command) ?? [])].toSorted((a, b) => a.at - b.at)
  return { ...facts, marks, isRunning: false, duration: durationMs, totalBytes: bytes, wave, idles, stretches, seal }
}

/** A stretch with times since the beginning of the recording. */
export function readStretch({ at, offset }: StretchPlace, frame: AnswerOf<typeof keyframe>): Stretch {
  const prints: Print[] = []
  for (let index = 0, time = at, place = offset; index + 1 < frame.prints.length; index += 2) {
    time += frame.prints[index] ?? 0
    const bytes = frame.prints[index + 1] ?? 0
    prints.push({ at: time, offset: place, bytes })
    place += bytes
  }
  const sizes: Resize[] = [{ at, columns: frame.columns, rows: frame.rows }]
  for (let index = 0; index + 2 < frame.sizes.length; index += 3) {
    const [since = 0, columns = 0, rows = 0] = frame.sizes.slice(index)
    sizes.push({ at: at + since, columns, rows })
  }
  return { screen: frame.screen, prints, sizes }
}

const comings: ReadonlySet<string> = new Set(['session.start', 'session.join', 'session.leave'])

/** Everything that events tell beside output: who, where, and what happened when. */
function readFacts(own: readonly AuditEventWire[], zero: number, duration: number) {
  const placed = (event: AuditEventWire): number => Math.max(0, Date.parse(event.time) - zero || 0)
  const within = (event: AuditEventWire): number => Math.min(placed(event), duration)
  const sizes: Resize[] = []
  const marks: Mark[] = []
  const people: string[] = []
  let start: AuditEventWire | undefined
  for (const event of own) {
    const user = text(event.user)
    const size = parseSize(text(event['size']))
    if (event.event === 'session.start') {
      start = event
      sizes.push({ at: 0, ...(size ?? defaultSize) })
    } else if (event.event === 'resize' && size) sizes.push({ at: within(event), ...size })
    if (comings.has(event.event) && user && !people.includes(user)) people.push(user)
    // What happened before the first output is how the session began.
    const mark = placed(event) > 0 || event.event === 'exec' ? markOf(event, within(event)) : undefined
    if (mark) marks.push(mark)
  }
  if (sizes.length === 0) sizes.push({ at: 0, ...defaultSize })
  const end = own.find(({ event }) => event === 'session.end')
  const named = Array.isArray(end?.['participants']) ? end['participants'].map(text).filter(Boolean) : []
  const [login, hostname] = [text(start?.['login']), text(start?.['server_hostname']) || text(start?.['kubernetes_cluster'])]
  return {
    startedAt: new Date(zero),
    title: [login || people[0], hostname].filter(Boolean).join('@') || 'Recording',
    login,
    hostname,
    clusterName: text(start?.cluster_name),
    participants: named.length > 0 ? [...new Set(named)] : people,
    firstSize: sizes[0] ?? defaultSize,
    sizes: sizes.toSorted((a, b) => a.at - b.at),
    marks: marks.toSorted((a, b) => a.at - b.at),
  }
}

function idleStretches(prints: readonly Print[], duration: number): Idle[] {
  const idles: Idle[] = []
  let before = 0
  for (const at of [...prints.map((print) => print.at), duration]) {
    if (at - before > idleFrom) idles.push({ from: before, to: at })
    before = at
  }
  return idles
}

/** Output per slice of the recording, each 0..1 of the busiest; grows with the logarithm, so that one flood hides nothing. */
export function outputWave(prints: readonly Print[], duration: number, slices: number): number[] {
  const sums = Array.from({ length: slices }, () => 0)
  for (const { at, bytes } of prints) {
    const slice = duration > 0 ? Math.min(slices - 1, Math.floor((at / duration) * slices)) : 0
    sums[slice] = (sums[slice] ?? 0) + bytes
  }
  const most = Math.log1p(Math.max(...sums, 1))
  return sums.map((sum) => Math.log1p(sum) / most)
}

/** Number of the stretch that a time lies in. */
export function stretchAt(stretches: readonly StretchPlace[], at: number): number {
  return Math.max(
    0,
    stretches.findLastIndex((place) => place.at <= at),
  )
}

/** Index of the first print later than `at`. */
export function printsUntil(prints: readonly Print[], at: number): number {
  let [low, high] = [0, prints.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((prints[middle]?.at ?? 0) <= at) low = middle + 1
    else high = middle
  }
  return low
}

/** Window size in force at a time. */
export function sizeAt(sizes: readonly Resize[], at: number): Resize {
  return sizes.findLast((size) => size.at <= at) ?? sizes[0] ?? { at: 0, ...defaultSize }
}

/** A length in few letters, for places without room: "4 min 12 s". */
export function shortDuration(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  if (hours > 0) return `${hours} h ${minutes} min`
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`
}

import { expect, test } from 'vitest'
import { outlineTimeline, outputWave, printsUntil, readStretch, readTimeline, shortDuration, sizeAt } from './recording-timeline.ts'

const at = (ms: number): string => new Date(Date.UTC(2026, 10, 21, 10) + ms).toISOString()
const print = (ms: number, offset: number, bytes: number) => ({ event: 'print', time: at(ms), ms, offset, bytes })
const events = [
  { event: 'session.start', time: at(-5), size: '80:25', user: 'ann', login: 'root', server_hostname: 'web-1', cluster_name: 'home' },
  print(0, 0, 10),
  print(1000, 10, 5),
  { event: 'resize', time: at(1500), size: '120:40' },
  { event: 'session.join', time: at(2000), user: 'bob' },
  print(9000, 15, 100),
  { event: 'session.end', time: at(10_000), participants: ['ann', 'bob'] },
  print(99_000, 115, 1),
]

test('events become one clock of prints, sizes, marks and idle stretches', () => {
  const timeline = readTimeline(events, undefined)
  expect(timeline).toMatchObject({ duration: 10_000, title: 'root@web-1', participants: ['ann', 'bob'], totalBytes: 115 })
  expect(timeline?.prints.map(({ at: time }) => time)).toEqual([0, 1000, 9000])
  expect(timeline?.sizes).toEqual([
    { at: 0, columns: 80, rows: 25 },
    { at: 1500, columns: 120, rows: 40 },
  ])
  expect(timeline?.marks.map(({ text }) => text)).toEqual(['Window 120 × 40', 'bob joined'])
  expect(timeline?.idles).toEqual([{ from: 1000, to: 9000 }])
})

test('a recording without output has no timeline, and one without an end lasts as long as it is told', () => {
  expect(
    readTimeline(
      events.filter(({ event }) => event !== 'print'),
      5000,
    ),
  ).toBeUndefined()
  expect(readTimeline(events.slice(0, 3), 5000)?.duration).toBe(5000)
  expect(readTimeline(events.slice(0, 3), undefined)?.duration).toBe(1000)
})

test('malformed events are passed over: no size, no numbers, a clock that goes back', () => {
  const timeline = readTimeline(
    [
      { event: 'session.start', time: at(0) },
      { event: 'print', time: at(0) },
      print(500, 0, 1),
      print(300, 1, 1),
      { event: 'resize', time: at(1), size: 'x' },
    ],
    undefined,
  )
  expect(timeline).toMatchObject({ duration: 0, sizes: [{ at: 0, columns: 80, rows: 25 }] })
  expect(timeline?.prints.map(({ at: time }) => time)).toEqual([0, 0])
})

test('prints and sizes are found by time', () => {
  const timeline = readTimeline(events, undefined) ?? expect.fail()
  expect([0, 999, 1000, 20_000].map((time) => printsUntil(timeline.prints, time))).toEqual([1, 1, 2, 3])
  expect(sizeAt(timeline.sizes, 1499).columns).toBe(80)
  expect(sizeAt(timeline.sizes, 1500).columns).toBe(120)
})

test('the wave is 0 where nothing was written and 1 in the busiest slice', () => {
  const timeline = readTimeline(events, undefined) ?? expect.fail()
  const wave = outputWave(timeline.prints, timeline.duration, 10)
  expect(wave[9]).toBe(1)
  expect(wave[5]).toBe(0)
  expect(wave[0]).toBeGreaterThan(0)
})

test('a short length names its two largest units', () => {
  expect([3200, 252_000, 3_660_000].map(shortDuration)).toEqual(['3 s', '4 min 12 s', '1 h 1 min'])
})

test('an outline becomes the same clock; its stretches carry times and places of the whole', () => {
  const outline = {
    events: events.filter(({ event }) => event !== 'print'),
    zero: at(0),
    durationMs: 10_000,
    bytes: 115,
    wave: [1, 0],
    idles: [],
    commands: [{ at: 1700, text: 'ls' }],
    stretches: [{ at: 1000, offset: 10, hasScreen: true }],
    seal: 'forged' as const,
  }
  expect(outlineTimeline(outline)).toMatchObject({
    title: 'root@web-1',
    duration: 10_000,
    participants: ['ann', 'bob'],
    firstSize: { columns: 80, rows: 25 },
    marks: [{ text: 'Window 120 × 40' }, { at: 1700, kind: 'command', text: 'ls' }, { text: 'bob joined' }],
    seal: 'forged',
  })
  expect(outlineTimeline({ ...outline, stretches: [] })).toBeUndefined()
  const frame = { number: 0, columns: 80, rows: 25, screen: 'x', prints: [5, 3, 20, 4], sizes: [500, 120, 40] }
  expect(readStretch({ at: 1000, offset: 10, hasScreen: true }, frame)).toEqual({
    screen: 'x',
    prints: [
      { at: 1005, offset: 10, bytes: 3 },
      { at: 1025, offset: 13, bytes: 4 },
    ],
    sizes: [
      { at: 1000, columns: 80, rows: 25 },
      { at: 1500, columns: 120, rows: 40 },
    ],
  })
})

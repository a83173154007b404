import { beforeEach, expect, test } from 'vitest'
import { RecordingPlayer, type PlayerHost } from './recording-player.ts'
import { readTimeline } from './recording-timeline.ts'

const stream = new TextEncoder().encode('abcdefghij')
const at = (ms: number): string => new Date(Date.UTC(2026, 10, 21) + ms).toISOString()
/** a at 0, b at 100, c at 1000, window 120x40 at 1500, d at 2000, then silence until j at 20 000; ends at 21 000. */
const timeline = () =>
  readTimeline(
    [
      { event: 'session.start', time: at(0), size: '80:25' },
      ...[0, 100, 1000, 2000].map((ms, offset) => ({ event: 'print', time: at(ms), ms, offset, bytes: 1 })),
      { event: 'resize', time: at(1500), size: '120:40' },
      { event: 'print', time: at(20_000), ms: 20_000, offset: 4, bytes: 6 },
      { event: 'session.end', time: at(21_000) },
    ],
    undefined,
  ) ?? expect.fail()

let shown: string
let size: string
let resets: number
let clock: number
let frame: (() => void) | undefined
let fails: boolean
let player: RecordingPlayer

const host: PlayerHost = {
  screen: {
    reset: () => {
      shown = ''
      resets += 1
    },
    resize: ({ columns, rows }) => (size = `${columns}x${rows}`),
    write: async (bytes) => void (shown += new TextDecoder().decode(bytes)),
  },
  read: async (offset, bytes) => {
    if (fails) throw new Error('Network request failed')
    return stream.slice(offset, offset + bytes)
  },
  stretch: async () => timeline(),
  prefetch: () => undefined,
  now: () => clock,
  nextFrame: (task) => {
    frame = task
    return () => (frame = undefined)
  },
}

/** Lets time pass in frames of 50 ms; between frames the screen settles. */
async function pass(ms: number): Promise<void> {
  for (let done = 0; done < ms; done += 50) {
    clock += 50
    frame?.()
    await settle()
  }
}
const settle = () => expect.poll(() => player.state.get().seeking).toBe(false)

beforeEach(() => {
  ;[shown, size, resets, clock, frame, fails] = ['', '', 0, 1000, undefined, false]
  player = new RecordingPlayer(timeline(), host)
})

test('output appears when it was written, at the window size it was written for', async () => {
  player.play()
  await pass(50)
  expect([shown, size]).toEqual(['a', '80x25'])
  await pass(1000)
  expect(shown).toBe('abc')
  await pass(500)
  expect([shown, size]).toEqual(['abc', '120x40'])
  player.pause()
  await pass(5000)
  expect(shown).toBe('abc')
})

test('speed multiplies the clock, one step at a time and within its range', async () => {
  player.setSkipIdle(false)
  for (let step = 0; step < 10; step += 1) player.stepSpeed(1)
  expect(player.state.get().speed).toBe(16)
  player.play()
  await pass(500)
  expect(player.position.get().ms).toBe(8000)
  for (let step = 0; step < 10; step += 1) player.stepSpeed(-1)
  expect(player.state.get().speed).toBe(0.25)
})

test('seeking forward writes what lies between; backward starts from an empty screen', async () => {
  player.seek(2000)
  await settle()
  expect([shown, size, resets]).toEqual(['abcd', '120x40', 0])
  player.seek(500)
  await settle()
  expect([shown, size, resets]).toEqual(['ab', '80x25', 1])
  player.seek(-50)
  await settle()
  expect(shown).toBe('a')
  player.seek(999_999)
  await settle()
  expect(shown).toBe('abcdefghij')
})

test('a newer seek takes over from one that is under way', async () => {
  player.seek(20_000)
  player.seek(100)
  await settle()
  expect(shown).toBe('ab')
  expect(player.position.get().ms).toBe(100)
})

test('idle stretches above 3 s are skipped after half a second, and played in full on request', async () => {
  player.seek(2000)
  await settle()
  player.play()
  await pass(450)
  expect(player.position.get().ms).toBe(2450)
  await pass(100)
  expect(player.position.get().ms).toBeGreaterThanOrEqual(20_000)
  expect(shown).toBe('abcdefghij')

  player.setSkipIdle(false)
  player.seek(2000)
  await settle()
  await pass(1000)
  expect(player.position.get().ms).toBe(3000)
})

test('it ends on the last frame; playing again starts over', async () => {
  player.seek(20_900)
  await settle()
  player.play()
  await pass(300)
  expect(player.state.get()).toMatchObject({ playing: false, ended: true })
  expect(player.position.get().ms).toBe(21_000)
  player.play()
  await pass(50)
  expect(shown).toBe('a')
  expect(player.state.get()).toMatchObject({ playing: true, ended: false })
})

test('a page in the background stands still instead of leaping', async () => {
  player.play()
  clock += 60_000
  frame?.()
  await settle()
  expect(player.position.get().ms).toBe(250)
})

test('a failed fetch pauses with its reason; playing tries again', async () => {
  fails = true
  player.seek(1000)
  await settle()
  expect(player.state.get()).toMatchObject({ playing: false, failure: 'Network request failed' })
  fails = false
  player.seek(1000)
  await settle()
  expect(player.state.get().failure).toBeUndefined()
  expect(shown).toBe('abc')
})

/** The same recording entered at 0, at 1000 and at 20 000; each stretch names what its picture shows. */
const entered = () => {
  const whole = timeline()
  const places = [
    { at: 0, offset: 0, hasScreen: false },
    { at: 1000, offset: 3, hasScreen: true },
    { at: 20_000, offset: 10, hasScreen: true },
  ]
  const stretch = (number: number) => {
    const [from = 0, to = Infinity] = [places[number]?.offset, places[number + 1]?.offset]
    const at = places[number]?.at ?? 0
    return {
      ...(number > 0 && { screen: `<${from}>` }),
      prints: whole.prints.filter(({ offset }) => offset >= from && offset < to),
      sizes: [
        { ...(whole.sizes.findLast((one) => one.at <= at) ?? whole.firstSize), at },
        ...whole.sizes.filter((one) => one.at > at && one.at < (places[number + 1]?.at ?? Infinity)),
      ],
    }
  }
  const fetched: number[] = []
  const read: [number, number][] = []
  const seeking = new RecordingPlayer(
    { ...whole, stretches: places },
    {
      ...host,
      read: async (offset, bytes) => {
        read.push([offset, bytes])
        return stream.slice(offset, offset + bytes)
      },
      stretch: async (number) => {
        fetched.push(number)
        return stretch(number)
      },
    },
  )
  return { seeking, fetched, read }
}

test('seeking far puts the nearest picture on the screen and reads only what follows it', async () => {
  const { seeking, read } = entered()
  player = seeking
  player.seek(20_500)
  await settle()
  expect([shown, size, read]).toEqual(['<10>', '120x40', []])
  player.seek(2000)
  await settle()
  expect([shown, size, read]).toEqual(['<3>d', '120x40', [[3, 1]]])
  player.seek(1200)
  await settle()
  expect([shown, size]).toEqual(['<3>', '80x25'])
  player.seek(100)
  await settle()
  expect(shown).toBe('ab')
})

test('playing on goes from stretch to stretch without a picture', async () => {
  const { seeking, fetched } = entered()
  player = seeking
  player.setSkipIdle(true)
  player.play()
  await pass(2200)
  expect([shown, resets]).toEqual(['abcd', 0])
  await pass(500)
  expect([shown, size, resets]).toEqual(['abcdefghij', '120x40', 0])
  expect(new Set(fetched)).toEqual(new Set([0, 1, 2]))
})

test('a session that still runs is shown as it goes on, until somebody goes back or stops', async () => {
  const whole = timeline()
  const upTo = (prints: number, isRunning = true) => ({
    ...whole,
    isRunning,
    prints: whole.prints.slice(0, prints),
    duration: isRunning ? (whole.prints[prints - 1]?.at ?? 0) : whole.duration,
  })
  let known = upTo(2)
  player = new RecordingPlayer(known, { ...host, stretch: async () => known })
  const extend = async (next: typeof known): Promise<void> => {
    known = next
    player.extend(next)
    await settle()
  }
  player.play()
  player.goToEnd()
  await settle()
  expect([shown, player.state.get().live, player.state.get().playing]).toEqual(['ab', true, true])
  await extend(upTo(3))
  expect(shown).toBe('abc')
  player.seek(0)
  await extend(upTo(4))
  expect([shown, player.state.get().live]).toEqual(['a', false])
  await pass(2500)
  expect([shown, player.state.get().live]).toEqual(['abcd', true]) // it has caught up
  player.pause()
  await extend(upTo(5))
  expect([shown, player.state.get().live]).toEqual(['abcd', false])
  player.play()
  await pass(1000)
  player.goLive()
  await extend(upTo(5, false))
  expect(player.state.get()).toMatchObject({ live: false, playing: false, ended: true })
  expect([shown, player.position.get().ms]).toEqual(['abcdefghij', 21_000])
})

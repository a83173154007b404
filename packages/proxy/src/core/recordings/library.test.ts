import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import headless from '@xterm/headless'
import { widthProvider } from '@sallyport/protocols/terminal/character-width.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { createLibrary } from './library.ts'
import type { Library } from './library.ts'
import { createLibraryThread } from './library-thread.ts'
import { RecordedScreen } from './recorded-screen.ts'
import { createRecordings } from './recordings.ts'
import type { Recordings } from './recordings.ts'
import { createSealer, newSealKey } from './seal.ts'
import type { LineSearch } from './search/search-lines.ts'
import { readTextQuery } from './search/text-query.ts'

const start = Date.UTC(2026, 10, 21)
const key = Buffer.alloc(32, 7)
const sealKey = newSealKey()

let directory: string
let recordings: Recordings
let library: Library
const open = (): void => {
  recordings = createRecordings(directory, { sealer: createSealer(sealKey) })
  const index = { kind: 'sqlite' as const, file: join(directory, 'search.db') }
  library = createLibrary({ recordings, thread: createLibraryThread({ directory, key, index }), key, log: createLog('silent') })
}
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'library-'))
  open()
})
afterEach(async () => {
  await library[Symbol.asyncDispose]()
  await rm(directory, { recursive: true, force: true })
})

/** A finished recording: a size, then output at its times. */
async function record(
  prints: readonly (readonly [ms: number, output: string | Buffer])[],
  user = 'alice',
  size = '80:25',
): Promise<string> {
  const sid = randomUUID()
  let now = 0
  const options = { sid, start, elapsed: () => now, onDrain: () => undefined, onFailure: () => undefined }
  const recorder = await recordings.create(options)
  recorder.event({ event: 'session.start', user, size })
  for (const [ms, output] of prints) {
    now = ms
    recorder.print(Buffer.from(output))
    if (recorder.ms % 1000 === 0) await recorder.flush()
  }
  recorder.event({ event: 'session.end', user, participants: [user], session_start: new Date(start).toISOString() })
  await recorder.finish()
  await recordings.seal(sid)
  library.add(sid)
  return sid
}

async function screenOf(...output: (string | Buffer)[]): Promise<string[]> {
  const terminal = new headless.Terminal({ cols: 80, rows: 25, scrollback: 200, allowProposedApi: true, logLevel: 'off' })
  terminal.unicode.register(widthProvider('sallyport'))
  terminal.unicode.activeVersion = 'sallyport'
  for (const bytes of output) await new Promise<void>((resolve) => terminal.write(bytes, resolve))
  const lines = Array.from(
    { length: terminal.rows },
    (_, row) => terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row)?.translateToString(true) ?? '',
  )
  const { cursorX, cursorY } = terminal.buffer.active
  terminal.dispose()
  return [...lines, `${cursorX},${cursorY}`]
}

test('a stretch begins with the very screen that a player has after playing everything before it', async () => {
  const line = (n: number): string => `\x1b[3${n % 8}mline ${n}\x1b[0m ${'.'.repeat(n % 60)}\r\n`
  const prints = Array.from(
    { length: 40 },
    (_, n) => [n * 1000, Array.from({ length: 900 }, (_, m) => line(n * 900 + m)).join('')] as const,
  )
  const sid = await record(prints)
  await library.settled()
  await using reader = await recordings.read(sid)
  const outline = await library.outline(reader)
  expect(outline).toMatchObject({ sid, duration: 39_000, bytes: prints.reduce((sum, [, text]) => sum + text.length, 0) })
  expect(outline?.stretches.length).toBeGreaterThan(2)
  const whole = Buffer.from(prints.map(([, text]) => text).join(''))
  for (const [number, place] of (outline?.stretches ?? []).entries()) {
    const found = await library.stretchAt(reader, place.at)
    expect(found?.number).toBe(number)
    const bytes = found?.stretch.prints.filter((_, index) => index % 2 === 1).reduce((sum, count) => sum + count, 0)
    expect(bytes).toBe((outline?.stretches[number + 1]?.offset ?? whole.length) - place.offset)
    if (number > 0) expect(await screenOf(found?.stretch.screen ?? '')).toEqual(await screenOf(whole.subarray(0, place.offset)))
  }
})

const pieces = fc.constantFrom(
  'text ', 'höher 漢字 😀 ', '\r\n', '\x1b[2J', '\x1b[H', '\x1b[5;10r', '\x1b[r', '\x1b[10;20H', '\x1b[1;31m', '\x1b[0m', '\x1b[?1049h', '\x1b[?1049l',
  '\x1b[?25l', '\x1b[?25h', '\x1b(0', '\x1b(B', 'qqq', '\x1b[?6h', '\x1b[?6l', '\x1b[3L', '\x1b[2M', '\x1b[K', '\n\n\n', '\x1bM', '\t', '\b\b',
) // prettier-ignore

test('whatever was printed, a picture looks like its screen and goes on like it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pieces, { maxLength: 60 }), async (before) => {
      const screen = new RecordedScreen({ columns: 80, rows: 25 })
      await screen.write(Buffer.from(before.join('')))
      const picture = screen.picture() ?? ''
      screen.dispose()
      expect(await screenOf(picture)).toEqual(await screenOf(before.join('')))
      const after = 'x\r\n\n\ny\x1b[3;3Hz'
      expect(await screenOf(picture, after)).toEqual(await screenOf(before.join(''), after))
    }),
    { numRuns: 60, seed: 1 },
  )
})

test('key frames that were changed, or belong to another recording, are not shown and are made again', async () => {
  const [one, other] = [await record([[0, 'one\r\n']]), await record([[0, 'other\r\n']])]
  await library.settled()
  const { keyFrames } = recordings.filesOf(one)
  const right = await readFile(keyFrames)
  const wrong: Buffer[] = [await readFile(recordings.filesOf(other).keyFrames), Buffer.alloc(0), randomBytes(400)]
  for (let at = 0; at < right.length; at += 7) {
    const changed = Buffer.from(right)
    changed[at] = right.readUInt8(at) ^ 0x10
    wrong.push(changed)
  }
  for (const bytes of wrong) {
    await writeFile(keyFrames, bytes)
    await library[Symbol.asyncDispose]()
    open()
    await using reader = await recordings.read(one)
    const found = await library.stretchAt(reader, 0).catch((error: unknown) => error)
    expect(found === undefined || (found instanceof Error && found.name === 'RecordingError')).toBe(true)
  }
  await using reader = await recordings.read(one)
  await rm(keyFrames)
  expect(await library.outline(reader)).toBeUndefined()
  await library.settled()
  expect(await library.outline(reader)).toMatchObject({ sid: one })
})

const find = (text: string, more: Partial<Parameters<Library['search']>[0]> = {}) =>
  library.search({ query: readTextQuery(text) ?? expect.fail(), limit: 20, perRecording: 5, accepts: () => true, ...more })

test('what was on a screen is found with its moment, whatever colours and escapes stood between its letters', async () => {
  const sid = await record([
    [0, '$ ls\r\n'],
    [2000, '\x1b[01;34mpass\x1b[0mwords.txt\r\n\x1b]0;title\x07\x1b]52;c;aGk=\x07done\r\n'],
    [5000, 'rm -rf /var/lib/thing\r\n'],
  ])
  await library.settled()
  expect(await find('passwords')).toMatchObject({ hits: [{ sid, at: 2000, text: 'passwords.txt', from: 0, to: 9 }] })
  expect((await find('RM -RF /var/li')).hits).toMatchObject([{ at: 5000, from: 0, to: 14 }])
  for (const absent of ['title', 'aGk', 'asswords', 'rm var']) expect((await find(absent)).hits, absent).toEqual([])
  // One letter begins too many words to bring them together; behind others it is looked for in their lines.
  expect((await find('rm -rf /var/l')).hits).toMatchObject([{ at: 5000, from: 0, to: 13 }])
  expect((await find('r')).hits).toEqual([])
  expect((await find('var/lib rm')).hits).toEqual([])
  expect(readTextQuery(' && ')).toBeUndefined()
})

test('one hit after the other, newest recording first; people, times and rights narrow it down', async () => {
  const first = await record([[0, 'needle one\r\n']], 'alice')
  await library.settled()
  const many = await record([[0, Array.from({ length: 3000 }, (_, n) => `needle ${n} in a haystack`).join('\r\n')]], 'bob')
  await library.settled()
  const page = await find('needle', { perRecording: 2 })
  expect(page.hits.map(({ sid }) => sid)).toEqual([many, many, first])
  expect(page.recordings.map(({ people }) => people)).toEqual([['bob'], ['alice']])
  expect((await find('needle', { user: 'alice' })).hits.map(({ sid }) => sid)).toEqual([first])
  expect((await find('needle', { accepts: ({ people }) => people.includes('alice') })).hits.map(({ sid }) => sid)).toEqual([first])
  expect((await find('needle', { from: start + 1 })).hits).toEqual([])
  const all: number[] = []
  for (let place: LineSearch['place']; ;) {
    const { hits, next } = await find('needle', { sid: many, place, limit: 500, perRecording: 10_000 })
    all.push(...hits.map(({ text }) => Number(text.split(' ')[1])))
    if (next === undefined) break
    place = next
  }
  expect(all).toEqual(Array.from({ length: 3000 }, (_, n) => 2999 - n))
  await library.remove(many)
  expect((await find('needle')).hits.map(({ sid }) => sid)).toEqual([first])
})

test('what an earlier process did not come to is made up for', async () => {
  const sids = [await record([[0, 'early bird\r\n']]), await record([[0, 'second bird\r\n']])]
  await library[Symbol.asyncDispose]()
  await rm(join(directory, 'search.db'), { force: true })
  open()
  await library.catchUp()
  await library.settled()
  expect((await find('bird')).hits.map(({ sid }) => sid).toSorted()).toEqual(sids.toSorted())
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { desktopPlaybackWire } from '@sallyport/wire/sockets/desktop-playback.ts'
import { decodeToConsole, encodeDesktopSize, encodePicture } from '@sallyport/wire/sockets/desktop.ts'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createRecordings } from '../../core/recordings/recordings.ts'
import type { Recordings } from '../../core/recordings/recordings.ts'
import { DesktopPlayback } from './desktop-playback.ts'

const sid = '11111111-2222-4333-8444-555555555555'
let folder: string
let recordings: Recordings
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-desktop-'))
  recordings = createRecordings(folder)
  let now = 0
  const recorder = await recordings.create({ sid, start: 0, elapsed: () => now, onDrain: () => undefined, onFailure: () => undefined })
  recorder.event({ event: 'windows.desktop.session.start' })
  recorder.print(Buffer.from(encodeDesktopSize(8, 8)))
  // A picture each second, whose length is its second; some are longer than a chunk of the file.
  for (let second = 1; second <= 30; second += 1) {
    now = second * 1000
    recorder.print(pictureOf(second))
    if (second % 10 !== 0) continue
    const whole = Buffer.concat([encodeDesktopSize(8, 8), pictureOf(second + 100)])
    recorder.event({ event: 'desktop.keyframe', bytes: whole.length })
    recorder.print(whole)
  }
  recorder.event({ event: 'windows.desktop.session.end' })
  await recorder.finish()
  await recordings.seal(sid)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const place = { left: 0, top: 0, right: 8, bottom: 8 }
const pictureOf = (second: number): Buffer => Buffer.from(encodePicture(place, new Uint8Array(second * 20_000)))

/** Plays with a clock that is always as far as somebody waits for. */
function player() {
  const shown: string[] = []
  /** Where the search for a whole picture began. */
  const read: number[] = []
  let now = 0
  const playback = new DesktopPlayback({
    async open() {
      const reader = await recordings.read(sid)
      const records = reader.records.bind(reader)
      vi.spyOn(reader, 'records').mockImplementation((from = 0) => (read.push(from), records(from)))
      return reader
    },
    send(json) {
      now += 1_000_000
      const frame = desktopPlaybackWire.parse(JSON.parse(json))
      if (!('ms' in frame)) shown.push(frame.message)
      else {
        const message = decodeToConsole(Buffer.from(frame.message, 'base64'))
        shown.push(message.kind === 'picture' ? `${message.png.length / 20_000} at ${frame.ms / 1000}` : message.kind)
      }
      return Promise.resolve()
    },
    now: () => now,
  })
  return { playback, shown, read }
}

test('R7-141: everything comes in order, whole pictures that repeat what is shown are left out, and then the end', async () => {
  const { playback, shown } = player()
  await playback.run()
  const seconds = Array.from({ length: 30 }, (_, index) => `${index + 1} at ${index + 1}`)
  expect(shown).toEqual(['size', ...seconds, 'end'])
})

test('a jump begins at the last whole picture before the moment', async () => {
  const { playback, shown } = player()
  playback.take({ action: 'seek', pos: 23_500 })
  await playback.run()
  expect(shown.slice(0, 5)).toEqual(['size', '120 at 20', '21 at 21', '22 at 22', '23 at 23'])
  expect(shown.at(-1)).toBe('end')
})

test('a jump reads the recording from a little before the moment, not from its beginning', async () => {
  const { playback, shown, read } = player()
  playback.take({ action: 'seek', pos: 29_500 })
  await playback.run()
  expect(shown.slice(0, 2)).toEqual(['size', '120 at 20'])
  expect(read).toHaveLength(1)
  expect(read[0]).toBeGreaterThan(8)
})

test('a jump to before the first whole picture begins at the beginning', async () => {
  const { playback, shown } = player()
  playback.take({ action: 'seek', pos: 2500 })
  await playback.run()
  expect(shown.slice(0, 3)).toEqual(['size', '1 at 1', '2 at 2'])
})

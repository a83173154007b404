import { inflateSync } from 'node:zlib'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import type { Picture } from '@sallyport/protocols/rdp/bitmaps.ts'
import { u16 } from '@sallyport/protocols/rdp/bytes.ts'
import { decodeToConsole } from '@sallyport/wire/sockets/desktop.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FramePump } from './frame-pump.ts'
import { createPainters } from './painter-threads.ts'
import { encodePng } from './png.ts'
import { Screen } from './screen.ts'

const picture = (left: number, top: number, width: number, height: number, value: number): Picture => ({
  left,
  top,
  width,
  height,
  stride: width,
  rgba: new Uint8Array(width * height * 4).fill(value),
})

test('what was drawn is handed out once, in whole tiles, never beyond the screen', () => {
  const screen = new Screen(200, 100)
  screen.draw(picture(10, 10, 20, 20, 7))
  expect(screen.isDirty).toBe(true)
  expect(screen.take()).toEqual([{ left: 0, top: 0, width: 64, height: 64 }])
  expect(screen.isDirty).toBe(false)
  expect(screen.take()).toEqual([])
  screen.draw(picture(100, 60, 500, 500, 9))
  expect(screen.take()).toEqual([{ left: 64, top: 0, width: 136, height: 100 }])
  screen.draw(picture(300, 300, 10, 10, 9))
  expect(screen.isDirty).toBe(false)
})

test('whatever is drawn, whoever takes it has the same picture', () => {
  const place = fc.record({
    left: fc.integer({ min: 0, max: 260 }),
    top: fc.integer({ min: 0, max: 180 }),
    width: fc.integer({ min: 1, max: 200 }),
    height: fc.integer({ min: 1, max: 150 }),
    value: fc.integer({ min: 1, max: 255 }),
  })
  fc.assert(
    fc.property(fc.array(place, { maxLength: 8 }), (places) => {
      const screen = new Screen(250, 170)
      const seen = new Uint8Array(250 * 170 * 3)
      for (const { left, top, width, height, value } of places) {
        screen.draw(picture(left, top, width, height, value))
        for (const rectangle of screen.take()) {
          const rows = screen.rowsOf(rectangle)
          const row = rectangle.width * 3 + 1
          for (let y = 0; y < rectangle.height; y += 1)
            seen.set(rows.subarray(y * row + 1, (y + 1) * row), ((rectangle.top + y) * 250 + rectangle.left) * 3)
        }
      }
      const whole = screen.whole().map((rectangle) => screen.rowsOf(rectangle))
      const pixels = Buffer.concat(
        whole.flatMap((rows) => Array.from({ length: rows.length / 751 }, (_, y) => rows.subarray(y * 751 + 1, (y + 1) * 751))),
      )
      expect(pixels.equals(seen)).toBe(true)
    }),
  )
})

test('a PNG has its size, its pixels and its sums', () => {
  const png = encodePng(2, 1, new Uint8Array([0, 1, 2, 3, 4, 5, 6]))
  expect(png.toString('hex', 0, 33)).toBe('89504e470d0a1a0a0000000d49484452000000020000000108020000007b40e8dd')
  const length = png.readUInt32BE(33)
  expect([...inflateSync(png.subarray(41, 41 + length))]).toEqual([0, 1, 2, 3, 4, 5, 6])
})

/** A bitmap update of one rectangle, not compressed. */
const updateOf = (side: number, value: number): Buffer =>
  Buffer.concat([u16(1, 1, 0, 0, side - 1, side - 1, side, side, 32, 0, side * side * 4), Buffer.alloc(side * side * 4, value)])

test('drawing the same again changes nothing', () => {
  const screen = new Screen(128, 64)
  screen.draw(picture(0, 0, 128, 64, 7))
  screen.take()
  const next = picture(0, 0, 128, 64, 7)
  screen.draw(next)
  expect(screen.isDirty).toBe(false)
  next.rgba[100 * 4] = 8
  screen.draw(next)
  expect(screen.take()).toEqual([{ left: 64, top: 0, width: 64, height: 64 }])
})

test('while nobody can take a picture nothing is made; then the latest comes at once', async () => {
  const messages: string[] = []
  const room = Promise.withResolvers<void>()
  const asked = Promise.withResolvers<void>()
  await using painters = createPainters()
  const pump = new FramePump({
    painter: painters.open(),
    send: (message) => void messages.push(decodeToConsole(message).kind),
    roomy() {
      asked.resolve()
      return room.promise
    },
    onKeyFrame: (all) => void messages.push(`key ${all.length}`),
    withKeyFrames: true,
    onFailure: (error) => void messages.push(String(error)),
    // A clock that jumps: every picture is followed by a whole one.
    now: () => messages.length * 10_000,
  })
  const draw = (value: number): Promise<void> => {
    pump.draw(updateOf(64, value))
    return pump.flush()
  }
  pump.size(64, 64)
  await draw(1)
  await asked.promise
  for (let index = 0; index < 100; index += 1) await draw(index)
  expect(messages).toEqual(['size'])
  room.resolve()
  await pump.stop()
  expect(messages).toEqual(['size', 'picture', 'key 2'])
  await draw(5)
  await pump.stop()
  expect(messages).toHaveLength(3)
})

test('a thread draws for several desktops, says what is wrong with one, and slows down who is ahead of it', async () => {
  await using painters = createPainters()
  const [one, two] = [painters.open(), painters.open()]
  one.size(64, 64)
  two.size(8, 8)
  await expect(two.take()).resolves.toEqual([])
  // More than may be under way: the last of them waits for the first.
  await one.draw(Array.from({ length: 200 }, (_, value) => updateOf(64, value)))
  expect((await one.take()).map((message) => decodeToConsole(message))).toMatchObject([{ kind: 'picture', right: 64, bottom: 64 }])
  await two.draw([updateOf(8, 3)])
  expect(await two.whole()).toHaveLength(1)
  await two.draw([Buffer.from([1, 0, 9, 0])])
  await two.take()
  await expect(two.draw([updateOf(8, 3)])).rejects.toThrow(ProtocolError)
  one[Symbol.dispose]()
  await expect(one.take()).resolves.toEqual([])
})

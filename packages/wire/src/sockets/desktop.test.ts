import { expect, test } from 'vitest'
import { DesktopMessageCutter, recordedLength } from './desktop-cutter.ts'
import {
  decodeToConsole,
  encodeAlert,
  encodeButton,
  encodeClipboard,
  encodeDesktopChallenge,
  encodeDesktopSize,
  encodeKey,
  encodeMove,
  encodePicture,
  encodeWheel,
} from './desktop.ts'

const join = (...parts: Uint8Array[]): Uint8Array => Uint8Array.from(parts.flatMap((part) => [...part]))

test('messages to the console, byte by byte', () => {
  const picture = encodePicture({ left: 1, top: 2, right: 3, bottom: 4 }, new Uint8Array([9, 8]))
  expect([...picture]).toEqual([27, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 9, 8])
  expect(decodeToConsole(picture)).toEqual({ kind: 'picture', left: 1, top: 2, right: 3, bottom: 4, png: new Uint8Array([9, 8]) })
  expect(decodeToConsole(new Uint8Array([2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4, 7]))).toMatchObject({
    kind: 'picture',
    right: 3,
  })
  expect(decodeToConsole(encodeAlert('größer', 'warning'))).toEqual({ kind: 'alert', text: 'größer', severity: 'warning' })
  expect(decodeToConsole(new Uint8Array([9, 0, 0, 0, 0, 111, 104]))).toEqual({ kind: 'alert', text: 'oh', severity: 'error' })
  expect(decodeToConsole(encodeDesktopChallenge('{}'))).toEqual({ kind: 'challenge', json: '{}' })
  expect(decodeToConsole(encodeDesktopSize(800, 600))).toEqual({ kind: 'size', width: 800, height: 600 })
  expect(decodeToConsole(new Uint8Array([7, 0]))).toEqual({ kind: 'other' })
  for (const bytes of [[], [0], [29, 1], [28, 0, 0, 0, 0, 7], [27, 0], [10, 117, 0, 0, 0, 0]])
    expect(() => decodeToConsole(new Uint8Array(bytes)), String(bytes)).toThrow(Error)
})

test('messages from the console, however they are split', () => {
  const stream = join(
    encodeMove(7, 99_999),
    encodeButton('middle', true),
    encodeKey(0xe053, false),
    encodeWheel('vertical', -120),
    encodeClipboard('käse'),
  )
  const expected = [
    { kind: 'move', x: 7, y: 8192 },
    { kind: 'button', button: 'middle', isDown: true },
    { kind: 'key', scancode: 0xe053, isDown: false },
    { kind: 'wheel', axis: 'vertical', delta: -120 },
    { kind: 'clipboard', text: 'käse' },
  ]
  for (const size of [1, 2, 5, stream.length]) {
    const cutter = new DesktopMessageCutter()
    const messages = []
    for (let at = 0; at < stream.length; at += size) messages.push(...cutter.push(stream.subarray(at, at + size)))
    expect(messages).toEqual(expected)
  }
  expect(() => new DesktopMessageCutter().push(new Uint8Array([99]))).toThrow('unknown')
  expect(() => new DesktopMessageCutter().push(new Uint8Array([6, 255, 0, 0, 0]))).toThrow('too long')
  expect(() => new DesktopMessageCutter().push(new Uint8Array([4, 3, 1]))).toThrow('no mouse button')
})

test('what a recording holds is cut by its own lengths', () => {
  const messages = [encodeDesktopSize(1, 2), encodePicture({ left: 0, top: 0, right: 1, bottom: 1 }, new Uint8Array(5)), encodeMove(1, 1)]
  for (const message of messages) expect(recordedLength(join(message, new Uint8Array([1])))).toBe(message.length)
  expect(recordedLength(new Uint8Array([27, 0]))).toBeUndefined()
})

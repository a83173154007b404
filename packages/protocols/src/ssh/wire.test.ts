import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { encodeMpint, encodeString, encodeUint32, encodeUint64, SshReader } from './wire.ts'

const bytes = fc.uint8Array({ maxLength: 300 })

test('what is written is read back, and nothing more is there', () => {
  fc.assert(
    fc.property(
      bytes,
      fc.string({ unit: 'grapheme' }).filter((text) => !/\p{Cc}/u.test(text) && text.isWellFormed()),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
      fc.nat(),
      (raw, text, long, int) => {
        const reader = new SshReader(
          Buffer.concat([encodeString(raw), encodeString(text), encodeUint64(long), encodeUint32(int), encodeMpint(raw)]),
          'test',
        )
        expect(reader.string().equals(raw)).toBe(true)
        expect(reader.text()).toBe(text)
        expect(reader.uint64()).toBe(long)
        expect(reader.uint32()).toBe(int)
        const first = raw.findIndex((byte) => byte !== 0)
        expect(reader.mpint().equals(first < 0 ? Buffer.alloc(0) : raw.subarray(first))).toBe(true)
        reader.end()
      },
    ),
  )
})

test('every read past the end is refused with a typed error', () => {
  fc.assert(
    fc.property(bytes, (raw) => {
      const whole = encodeString(raw)
      for (let length = 0; length < whole.length; length++) {
        expect(() => new SshReader(whole.subarray(0, length), 'test').string()).toThrow(ProtocolError)
      }
    }),
    { numRuns: 20 },
  )
  expect(() => new SshReader(Buffer.from([255, 255, 255, 255, 0]), 'name').string()).toThrow('The name ends early')
})

test.each([
  ['negative', [0x80]],
  ['zero written long', [0]],
  ['leading zero', [0, 1]],
])('an mpint in a second form is refused: %s', (_name, form) => {
  expect(() => new SshReader(encodeString(Buffer.from(form)), 'number').mpint()).toThrow(ProtocolError)
  expect(new SshReader(encodeString(Buffer.from([0, 0x80])), 'number').mpint()).toEqual(Buffer.from([0x80]))
})

test.each([
  ['broken UTF-8', Buffer.from([0xc3, 0x28])],
  ['a line feed', Buffer.from('root\nbob')],
  ['a zero byte', Buffer.from('root\0')],
])('a text with %s is refused', (_name, raw) => {
  expect(() => new SshReader(encodeString(raw), 'login').text()).toThrow(ProtocolError)
})

test('bytes after the end are refused', () => {
  expect(() => new SshReader(Buffer.of(1), 'test').end()).toThrow('1 bytes follow its end')
})

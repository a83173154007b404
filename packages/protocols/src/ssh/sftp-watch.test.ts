import { expect, test } from 'vitest'
import { SftpWatch } from './sftp-watch.ts'
import { encodeString, encodeUint32 } from './wire.ts'

const frame = (type: number, ...parts: Buffer[]): Buffer => {
  const body = Buffer.concat([Buffer.of(type), ...parts])
  return Buffer.concat([encodeUint32(body.length), body])
}
const open = (id: number, path: string): Buffer => frame(3, encodeUint32(id), encodeString(path), encodeUint32(2), encodeUint32(0))
const status = (id: number, code: number, text: string): Buffer =>
  frame(101, encodeUint32(id), encodeUint32(code), encodeString(text), encodeString(''))

const asked = Buffer.concat([
  frame(1, encodeUint32(3)),
  open(1, '/a'),
  frame(6, encodeUint32(2), encodeString('handle'), encodeUint32(0), encodeUint32(0), encodeString(Buffer.alloc(70_000, 3))),
  frame(18, encodeUint32(3), encodeString('/a'), encodeString('/b')),
  frame(200, encodeUint32(4), encodeString('hardlink@openssh.com'), encodeString('/b'), encodeString('/c')),
  frame(200, encodeUint32(5), encodeString('limits@openssh.com')),
  frame(13, encodeUint32(6), encodeString('/absent')),
])
const answered = Buffer.concat([
  frame(2, encodeUint32(3)),
  frame(102, encodeUint32(1), encodeString('handle')),
  status(2, 0, ''),
  frame(103, encodeUint32(9), encodeString(Buffer.alloc(70_000, 101))),
  status(3, 0, 'Success'),
  status(4, 4, ''),
  frame(201, encodeUint32(5)),
  status(6, 2, 'No such file'),
])
const expected = [
  { request: { operation: 'open', path: '/a', flags: 2 }, error: undefined },
  { request: { operation: 'rename', path: '/a', targetPath: '/b' }, error: undefined },
  { request: { operation: 'hardLink', path: '/b', targetPath: '/c' }, error: 'status 4' },
  { request: { operation: 'remove', path: '/absent' }, error: 'No such file' },
]

test.each([1, 2, 7, 4096, 200_000])('requests and their outcomes are read in pieces of %i bytes', (size) => {
  const watch = new SftpWatch()
  const pieces = (bytes: Buffer): Buffer[] =>
    Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))
  for (const piece of pieces(asked)) watch.fromClient(piece)
  expect(pieces(answered).flatMap((piece) => watch.fromServer(piece))).toEqual(expected)
})

test('what is no SFTP is refused, and names are bounded', () => {
  expect(() => new SftpWatch().fromClient(Buffer.from('SSH-2.0-nonsense'))).toThrow('frame')
  expect(() => new SftpWatch().fromClient(open(1, 'x'.repeat(70_000)))).toThrow('frame of type 3')
  const watch = new SftpWatch()
  expect(() => Array.from({ length: 20_000 }, (_, id) => watch.fromClient(open(id, '/a')))).toThrow('too many')
})

import { expect, test } from 'vitest'
import { DesktopMessageCutter } from './desktop-cutter.ts'
import { decodeToConsole, encodeDirectory, encodeMove, encodeShared } from './desktop.ts'
import { encodeFileAnswer, encodeFileRequest } from './shared-directory.ts'
import type { FileAnswer, FileRequest } from './shared-directory.ts'

const base = { completion: 7, directory: 2 }
const requests: FileRequest[] = [
  { ...base, verb: 'info', path: '' },
  { ...base, verb: 'create', path: 'a/b', isDirectory: true },
  { ...base, verb: 'delete', path: 'ä' },
  { ...base, verb: 'read', path: 'a', offset: 2 ** 40, length: 9 },
  { ...base, verb: 'write', path: 'a', offset: 5, data: new Uint8Array([1, 2]) },
  { ...base, verb: 'move', path: 'a', to: 'b' },
  { ...base, verb: 'list', path: 'a' },
]
const file = { path: 'a/ö.txt', isDirectory: false, size: 2 ** 33, modified: 1_700_000_000_000, isEmpty: false }
const answers: FileAnswer[] = [
  { verb: 'info', completion: 1, error: 'none', file },
  { verb: 'create', completion: 2, error: 'exists', file: { ...file, isDirectory: true, isEmpty: true } },
  { verb: 'delete', completion: 3, error: 'failed' },
  { verb: 'read', completion: 4, error: 'none', data: new Uint8Array([1, 2, 3]) },
  { verb: 'write', completion: 5, error: 'none', written: 2 },
  { verb: 'move', completion: 6, error: 'failed' },
  { verb: 'list', completion: 8, error: 'none', files: [file, { ...file, path: '' }] },
]

test('requests for files, byte by byte and there and back', () => {
  expect([...encodeFileRequest({ ...base, verb: 'write', path: 'x', offset: 258, data: new Uint8Array([9]) })]).toEqual([
    21, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 1, 120, 0, 0, 0, 1, 9,
  ])
  expect([...encodeFileRequest({ ...base, verb: 'read', path: 'x', offset: 1, length: 2 })]).toEqual([
    19, 0, 0, 0, 7, 0, 0, 0, 2, 0, 0, 0, 1, 120, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,
  ])
  for (const request of requests) expect(decodeToConsole(encodeFileRequest(request))).toEqual({ kind: 'file', request })
  expect(decodeToConsole(encodeShared(2))).toEqual({ kind: 'shared', hasFailed: false, directory: 2 })
  expect(() => decodeToConsole(new Uint8Array([19, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 9, 9]))).toThrow('ends early')
})

test('answers about files, however they are split', () => {
  const messages = [encodeDirectory(2, 'Döcs'), ...answers.map((answer) => encodeFileAnswer(answer)), encodeMove(1, 1)]
  const stream = Uint8Array.from(messages.flatMap((message) => [...message]))
  const expected = [
    { kind: 'directory', directory: 2, name: 'Döcs' },
    ...answers.map((answer) => ({ kind: 'file', answer })),
    { kind: 'move', x: 1, y: 1 },
  ]
  for (const size of [1, 3, 50, stream.length]) {
    const cutter = new DesktopMessageCutter()
    const found = []
    for (let at = 0; at < stream.length; at += size) found.push(...cutter.push(stream.subarray(at, at + size)))
    expect(found).toEqual(expected)
  }
})

test('an answer that is too long is refused before it is waited for', () => {
  const push = (...bytes: number[]) => new DesktopMessageCutter().push(new Uint8Array(bytes))
  const head = [0, 0, 0, 1, 0, 0, 0, 0]
  expect(() => push(20, ...head, 0, 16, 0, 1)).toThrow('too long')
  expect(() => push(26, ...head, 0, 16, 0, 0)).toThrow('too long')
  expect(() => push(14, ...head, ...Array.from({ length: 21 }, () => 0), 0, 1, 0, 0)).toThrow('too long')
})

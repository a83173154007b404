import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { fatalError, negotiateVersion, readColumns, readRow, readServerMessage } from './backend.ts'
import { frame, FrameReader, FrameWatch } from './frames.ts'
import type { Frame } from './frames.ts'
import { cancelRequest, readCommand, readFirst, runStatement, sslRequest, startup } from './frontend.ts'

const short = (value: number): Buffer => Buffer.from([(value >> 8) & 255, value & 255])
const int = (value: number): Buffer => Buffer.from([(value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255])
const whole = (type: string, ...parts: (Buffer | string)[]): Frame => {
  const body = frame(type, ...parts).subarray(5)
  return { type, length: body.length, body }
}
const message = fc.record({ type: fc.constantFrom('Q', 'd', 'P', 'X'), body: fc.uint8Array({ maxLength: 300 }) })
/** The bytes in pieces that end anywhere. */
const cut = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}

describe('frames', () => {
  test('come out whole, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 6 }), (messages, cuts) => {
        const bytes = Buffer.concat(messages.map(({ type, body }) => frame(type, Buffer.from(body))))
        const reader = new FrameReader(1000)
        const frames = cut(bytes, cuts).flatMap((piece) => reader.push(piece))
        expect(frames.map(({ type, body }) => ({ type, body: [...body] }))).toEqual(
          messages.map(({ type, body }) => ({ type, body: [...body] })),
        )
      }),
    )
  })
  test('pass unchanged, each told before any of its bytes goes on', () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 6 }), (messages, cuts) => {
        const all = Buffer.concat(messages.map(({ type, body }) => frame(type, Buffer.from(body))))
        const watch = new FrameWatch(50)
        const passed: Buffer[] = []
        let told = 0
        let begun = 0
        const ends = messages.map((_, index) => messages.slice(0, index).reduce((sum, { body }) => sum + body.length + 5, 0))
        for (const piece of cut(all, cuts)) {
          const { frames, bytes } = watch.push(piece)
          told += frames.length
          passed.push(bytes)
          const length = Buffer.concat(passed).length
          begun = ends.filter((start) => start < length).length
          expect(told).toBeGreaterThanOrEqual(begun)
        }
        expect(Buffer.concat(passed).equals(all)).toBe(true)
        expect(told).toBe(messages.length)
      }),
    )
  })
  test('of a long message only the beginning is held', () => {
    const watch = new FrameWatch(10)
    const bytes = frame('Q', Buffer.alloc(1000, 'a'))
    expect(watch.push(bytes.subarray(0, 14))).toEqual({ frames: [], bytes: Buffer.alloc(0) })
    const { frames, bytes: passed } = watch.push(bytes.subarray(14, 40))
    expect(frames).toMatchObject([{ type: 'Q', length: 1000, body: Buffer.alloc(10, 'a') }])
    expect(passed).toHaveLength(40)
    expect(watch.push(bytes.subarray(40)).bytes).toHaveLength(bytes.length - 40)
  })
  test('a length that cannot be, or that is too long, is refused', () => {
    const bad = Buffer.from([0x51, 0, 0, 0, 3])
    expect(() => new FrameReader(10).push(bad)).toThrow(ProtocolError)
    expect(() => new FrameWatch(10).push(bad)).toThrow(ProtocolError)
    expect(() => new FrameReader(10).push(frame('D', Buffer.alloc(11)))).toThrow('longer than the 10')
  })
})

describe('what clients say', () => {
  test('the first message: TLS, a cancel request, a start with parameters', () => {
    expect(readFirst(sslRequest())?.message).toEqual({ kind: 'ssl' })
    expect(readFirst(cancelRequest({ pid: 7, secret: -9 }))?.message).toEqual({ kind: 'cancel', pid: 7, secret: -9 })
    const bytes = Buffer.concat([startup({ user: 'bob', database: 'orders' }), Buffer.from('rest')])
    expect(readFirst(bytes)).toEqual({
      message: { kind: 'startup', minor: 0, parameters: { user: 'bob', database: 'orders' } },
      rest: Buffer.from('rest'),
    })
    for (let length = 0; length < 20; length += 1) expect(readFirst(bytes.subarray(0, length))).toBeUndefined()
  })
  test('a first message that is none is refused', () => {
    expect(() => readFirst(Buffer.from('GET / HTTP/1.1\r\n'))).toThrow('cannot have a length')
    expect(() => readFirst(Buffer.concat([int(8), int(2 << 16)]))).toThrow('protocol 2.0 is not spoken here')
    expect(() => readFirst(Buffer.concat([int(12), int(3 << 16), Buffer.from('user')]))).toThrow(ProtocolError)
  })
  test('statements, values and calls are read', () => {
    expect(readCommand(whole('Q', 'select 1\0'))).toEqual({ kind: 'query', text: 'select 1' })
    expect(readCommand(whole('P', 's1\0select $1\0', short(0)))).toEqual({ kind: 'parse', statement: 's1', text: 'select $1' })
    const values = Buffer.concat([short(2), short(0), short(1), short(3), int(2), Buffer.from('hi'), int(1), Buffer.from([255]), int(-1)])
    expect(readCommand(whole('B', 'p\0s1\0', values, short(0)))).toEqual({
      kind: 'bind',
      portal: 'p',
      statement: 's1',
      parameters: ['hi', 'ff', 'NULL'],
    })
    expect(readCommand(whole('E', 'p\0', int(0)))).toEqual({ kind: 'execute', portal: 'p' })
    expect(readCommand(whole('C', 'Ss1\0'))).toEqual({ kind: 'close', statement: 's1' })
    expect(readCommand(whole('C', 'Pp\0'))).toEqual({ kind: 'close', portal: 'p' })
    expect(readCommand(whole('F', int(2284), short(0), short(1), int(1), Buffer.from('7'), short(0)))).toEqual({
      kind: 'function',
      oid: 2284,
      parameters: ['7'],
    })
    expect(readCommand(whole('S'))).toBeUndefined()
  })
  test('of a message that is cut off, what is there is read; of a whole one, everything has to be', () => {
    expect(readCommand({ type: 'Q', length: 1000, body: Buffer.from('select') })).toEqual({ kind: 'query', text: 'select' })
    expect(() => readCommand(whole('Q', 'no end'))).toThrow(ProtocolError)
    expect(() => readCommand(whole('B', 'p\0s\0', short(4)))).toThrow(ProtocolError)
  })
  test('no bytes make the reader do anything but read or refuse', () => {
    fc.assert(
      fc.property(fc.constantFrom('Q', 'P', 'B', 'E', 'C', 'F'), fc.uint8Array({ maxLength: 60 }), fc.nat(100), (type, body, more) => {
        try {
          readCommand({ type, length: body.length + more, body: Buffer.from(body) })
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError)
        }
      }),
    )
  })
  test('a statement of ours is one message after the other', () => {
    const types = new FrameReader(1000).push(runStatement('select 1')).map(({ type }) => type)
    expect(types.join('')).toBe('PBDES')
  })
})

describe('what servers say', () => {
  test('columns and rows', () => {
    const column = (name: string, oid: number): Buffer =>
      Buffer.concat([Buffer.from(`${name}\0`), int(0), short(0), int(oid), short(4), int(-1), short(0)])
    expect(readColumns(whole('T', short(2), column('id', 23), column('näme', 25)).body)).toEqual([
      { name: 'id', oid: 23 },
      { name: 'näme', oid: 25 },
    ])
    expect(readRow(whole('D', short(3), int(1), '7', int(-1), int(0)).body)).toEqual(['7', null, ''])
    expect(() => readRow(whole('D', short(1), int(5), 'ab').body)).toThrow(ProtocolError)
  })
  test('errors, as servers send them and as the proxy does', () => {
    const body = 'SFEHLER\0VERROR\0C42601\0Msyntax error\0Ddetail\0Hhint\0P8\0\0'
    expect(readServerMessage(whole('E', body).body)).toEqual({
      severity: 'ERROR',
      code: '42601',
      message: 'syntax error',
      detail: 'detail',
      hint: 'hint',
      position: 8,
      where: '',
    })
    const [own] = new FrameReader(1000).push(fatalError('28000', 'access denied'))
    expect(own && readServerMessage(own.body)).toMatchObject({ severity: 'FATAL', code: '28000', message: 'access denied' })
    expect(negotiateVersion(['_pq_.x'])).toEqual(frame('v', int(3 << 16), int(1), '_pq_.x\0'))
  })
})

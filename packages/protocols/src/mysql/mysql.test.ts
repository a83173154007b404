import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { AnswerReader, ok, readColumn, readError, readOk, readRow, serverError } from './answers.ts'
import { lastStatement, queryCommand, readCommand, readKill, refreshed } from './commands.ts'
import { Conversation } from './conversation.ts'
import type { Prepared } from './conversation.ts'
import { counted, lengthOf, uint } from './fields.ts'
import {
  can,
  clientStart,
  greeting,
  nativePassword,
  readClientStart,
  readGreeting,
  readSwitch,
  switchPlugin,
  understood,
} from './handshake.ts'
import { fullLength, packet, PacketReader, PacketWatch } from './packets.ts'
import type { Packet } from './packets.ts'
import { readParameters } from './parameters.ts'

const bodyOf = (bytes: Buffer): Buffer => bytes.subarray(4)
const whole = (...parts: (Buffer | string | number)[]): Packet => {
  const body = bodyOf(packet(0, ...parts))
  return { sequence: 0, length: body.length, body }
}
/** The bytes in pieces that end anywhere. */
const cut = (bytes: Buffer, cuts: readonly number[]): Buffer[] => {
  const places = [0, ...cuts.map((place) => place % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end))
}
const bodies = fc.array(fc.uint8Array({ maxLength: 300 }), { maxLength: 6 })
const cuts = fc.array(fc.nat(), { maxLength: 6 })
const numbered = (all: readonly Uint8Array[]): Buffer => Buffer.concat(all.map((body, index) => packet(index, Buffer.from(body))))

describe('packets', () => {
  test('come out whole, however the bytes are cut', () => {
    fc.assert(
      fc.property(bodies, cuts, (all, places) => {
        const reader = new PacketReader(1000)
        const packets = cut(numbered(all), places).flatMap((piece) => [...reader.push(piece)])
        expect(packets.map(({ body }) => [...body])).toEqual(all.map((body) => [...body]))
        expect(reader.held).toBe(0)
      }),
    )
  })
  test('pass unchanged, each told before any of its bytes goes on', () => {
    fc.assert(
      fc.property(bodies, cuts, (all, places) => {
        let told = 0
        const watch = new PacketWatch(50, () => void (told += 1))
        const bytes = numbered(all)
        const starts = all.map((_, index) => all.slice(0, index).reduce((sum, body) => sum + body.length + 4, 0))
        const passed: Buffer[] = []
        for (const piece of cut(bytes, places)) {
          passed.push(watch.push(piece))
          const { length } = Buffer.concat(passed)
          expect(told).toBeGreaterThanOrEqual(starts.filter((start) => start < length).length)
        }
        expect(Buffer.concat(passed).equals(bytes)).toBe(true)
        expect(told).toBe(all.length)
        expect(watch.isBetween).toBe(true)
      }),
    )
  })
  test('of several are joined, and too long ones refused before they are there', () => {
    const header = (sequence: number, length: number): Buffer => Buffer.concat([uint(length, 3), Buffer.from([sequence])])
    const reader = new PacketReader(fullLength + 10)
    const bytes = Buffer.concat([header(0, fullLength), Buffer.alloc(fullLength, 'a'), header(1, 2), Buffer.from('bc')])
    expect([...reader.push(bytes)].map(({ length, sequence }) => ({ length, sequence }))).toEqual([{ length: fullLength + 2, sequence: 1 }])
    expect(() => [...new PacketReader(100).push(header(0, 101))]).toThrow('longer than the 100 bytes')
    expect(() => [...new PacketReader(fullLength + 10).push(Buffer.concat([bytes.subarray(0, fullLength + 4), header(1, 11)]))]).toThrow(
      'longer than',
    )
  })
  test('out of order are refused', () => {
    expect(() => [...new PacketReader(100).push(packet(3, 'x'))]).toThrow('the number 3 where 0 has to come')
    expect(() => new PacketWatch(10, () => undefined).push(Buffer.concat([packet(0, 'x'), packet(2, 'y')]))).toThrow('the number 2 where 1')
  })
})

describe('the start', () => {
  const scramble = Buffer.alloc(20, 7)
  test('what a server says is read as it was written', () => {
    const said = {
      version: '5.5.5-10.11.1-MariaDB',
      id: 4_000_000_000,
      capabilities: (understood & ~can.longPassword) >>> 0,
      extended: 4,
      plugin: nativePassword,
    }
    expect(readGreeting(bodyOf(greeting(said, scramble)))).toEqual(said)
  })
  test('what a client says is read as it was written', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.boolean(), fc.uint8Array({ maxLength: 40 }), (hasDatabase, isCounted, proof) => {
        const start = {
          capabilities:
            (can.protocol41 |
              can.secureConnection |
              can.pluginAuth |
              can.attributes |
              (isCounted ? can.countedAuth : 0) |
              (hasDatabase ? can.connectWithDatabase : 0)) >>>
            0,
          ...{ extended: 0, charset: 45, user: 'ännchen', ...(hasDatabase && { database: 'shop' }) },
          ...{ plugin: nativePassword, proof: Buffer.from(proof), attributes: Buffer.from('\x01a\x01b') },
        }
        expect(readClientStart(bodyOf(clientStart(1, start)))).toEqual(start)
      }),
    )
  })
  test('TLS, and protocols of before, are refused with what to do', () => {
    expect(() => readClientStart(Buffer.concat([uint(can.protocol41 | can.tls, 4), Buffer.alloc(28)]))).toThrow('--skip-ssl')
    expect(() => readClientStart(Buffer.alloc(32))).toThrow('before 4.1')
    expect(() => readGreeting(Buffer.from([9, 0]))).toThrow('protocol 9')
  })
  test('neither files of the client, nor compression, nor what is not known, is agreed upon', () => {
    for (const bit of [5, 7, 11, 23, 24, 25, 26, 27, 28, 29, 30, 31]) expect((understood >>> bit) & 1).toBe(0)
  })
  test('a change of the way is told by its name', () => {
    expect(readSwitch(bodyOf(switchPlugin(2, 'mysql_clear_password', scramble)))).toBe('mysql_clear_password')
    expect(readSwitch(Buffer.from([0xfe]))).toBeUndefined()
  })
})

test.each([
  [[1], { kind: 'quit' }, 'none'],
  [[2, 'shop'], { kind: 'init-db', name: 'shop' }, 'one'],
  [[3, 'select 1'], { kind: 'query', text: 'select 1' }, 'results'],
  [[0x16, 'select ?'], { kind: 'prepare', text: 'select ?' }, 'prepared'],
  [[0x18, uint(7, 4), uint(1, 2), 'abc'], { kind: 'long-data', statement: 7, parameter: 1, size: 3 }, 'none'],
  [[0x19, uint(lastStatement, 4)], { kind: 'close', statement: lastStatement }, 'none'],
  [[0x1c, uint(7, 4), uint(50, 4)], { kind: 'fetch', statement: 7, rows: 50 }, 'fetched'],
  [[0x0c, uint(9, 4)], { kind: 'kill', id: 9 }, 'one'],
  [[0x11, 'x'], { kind: 'refused', name: 'a change of the user' }, 'none'],
  [[0x12], { kind: 'refused', name: 'replication' }, 'none'],
  [[0x77], { kind: 'refused', name: 'command 119' }, 'none'],
])('a command is read: %#', (parts, command, answer) => expect(readCommand(whole(...parts))).toEqual([command, answer]))

test('what interrupts is known by its number', () => {
  expect(readKill('KILL QUERY 12')).toEqual({ id: 12, what: 'query' })
  expect(readKill('KILL /*!50000 QUERY */ 12')).toEqual({ id: 12, what: 'query' })
  expect(readKill(' kill 12 ; ')).toEqual({ id: 12, what: 'connection' })
  expect(readKill('kill connection 12')).toEqual({ id: 12, what: 'connection' })
  expect(readKill('select 1 -- kill 12')).toBeUndefined()
  expect(refreshed(1 + 64)).toBe('REFRESH_GRANT, REFRESH_REPLICA')
})

test('values that are bound are told as text', () => {
  const [int, time, date] = [Buffer.alloc(4), Buffer.from([8, 1, 1, 0, 0, 0, 2, 3, 4]), Buffer.from([7, 0xea, 7, 1, 2, 3, 4, 5])]
  int.writeInt32LE(-5)
  const types = [3, 0xfd, 6, 11, 12, 0x80_01, 0xfc]
  const body = Buffer.concat([
    ...[Buffer.from([0x17]), uint(7, 4), Buffer.from([0]), uint(1, 4), Buffer.from([0b100, 1]), ...types.map((type) => uint(type, 2))],
    ...[int, counted(Buffer.from('ä')), time, date, Buffer.from([255]), counted(Buffer.from([0xff, 0]))],
  ])
  const values = ['-5', 'ä', 'NULL', '-1 02:03:04', '2026-01-02 03:04:05', '255', '0xff00']
  expect(readParameters(body, 7, [], new Set())).toEqual({ types, values })
  const again = Buffer.concat([body.subarray(0, 11), Buffer.from([0]), body.subarray(12 + 14)])
  expect(readParameters(again, 7, types, new Set()).values).toEqual(values)
  expect(readParameters(body.subarray(0, body.length - 4), 7, [], new Set()).values).toEqual(values.slice(0, 5))
})

describe('answers', () => {
  const end = (status = 0): Buffer => Buffer.concat([Buffer.from([0xfe, 0, 0]), uint(status, 2)])
  const column = (name: string, type: number, charset: number): Buffer =>
    Buffer.concat([
      ...['def', '', '', '', name, ''].map((text) => counted(Buffer.from(text))),
      Buffer.from([12]),
      uint(charset, 2),
      uint(0, 4),
      Buffer.from([type, 0, 0, 0, 0, 0]),
    ])
  const answer = (first: number, ...all: Buffer[]): Buffer => Buffer.concat(all.map((body, index) => packet(first + index, body)))
  const rows = (status = 0): Buffer[] => [
    Buffer.from([1]),
    column('a', 253, 45),
    end(),
    Buffer.from('\x01x'),
    Buffer.from([0xfb]),
    end(status),
  ]

  test('a row is read by its columns', () => {
    const columns = [readColumn(column('t', 252, 45)), readColumn(column('b', 252, 63)), readColumn(column('n', 3, 63))]
    expect(columns).toMatchObject([{ type: 'text' }, { type: 'blob', isBinary: true }, { type: 'int', isBinary: false }])
    expect(readRow(Buffer.concat([counted(Buffer.from('ä')), counted(Buffer.from([1, 255])), Buffer.from([0xfb])]), columns)).toEqual([
      'ä',
      '0x01ff',
      null,
    ])
    expect(readError(bodyOf(serverError(1, { errno: 1045, sqlState: '28000', message: 'no' })))).toEqual({
      errno: 1045,
      sqlState: '28000',
      message: 'no',
    })
    expect(readOk(bodyOf(ok(1)))).toMatchObject({ affected: 0, status: 2 })
    expect(lengthOf(70_000)).toEqual(Buffer.from([0xfd, 0x70, 0x11, 1]))
  })
  test('belong to the commands before them, however both are cut', () => {
    fc.assert(
      fc.property(cuts, (places) => {
        const prepared: Prepared[] = []
        const conversation = new Conversation((one) => void prepared.push(one))
        const commands = Buffer.concat([queryCommand('call p()'), packet(0, 0x16, 'select ?'), packet(0, 0x0e)])
        const said = cut(commands, places).flatMap((piece) => conversation.fromClient(piece).commands)
        for (const one of said) conversation.sent(readCommand(one)[1])
        expect(said).toHaveLength(3)
        const many = answer(1, ...rows(8), ...rows(8), bodyOf(ok(0)))
        const preparation = answer(
          1,
          Buffer.concat([Buffer.from([0]), uint(5, 4), uint(1, 2), uint(1, 2), Buffer.from([0, 0, 0])]),
          column('?', 253, 63),
          end(),
          column('?', 253, 63),
          end(),
        )
        const all = Buffer.concat([many, preparation, ok(1)])
        expect(Buffer.concat(cut(all, places).map((piece) => conversation.fromServer(piece))).equals(all)).toBe(true)
        expect(prepared).toEqual([expect.objectContaining({ statement: 5, parameters: 1 })])
        expect(conversation.isIdle).toBe(true)
        expect(conversation.place).toBe(1)
      }),
    )
  })
  const asked = (): Conversation => {
    const conversation = new Conversation(() => undefined)
    conversation.fromClient(queryCommand('select 1'))
    conversation.sent('results')
    return conversation
  }
  test('a server that wants a file of the client gets none, and its client does not hear of it', () => {
    const wish = Buffer.from('\xfb/etc/passwd', 'latin1')
    expect(() => asked().fromServer(packet(1, wish))).toThrow('asks for a file of the client')
    expect(() => asked().fromServer(answer(1, ...rows(8), wish))).toThrow('asks for a file of the client')
    // A row may begin with the same byte.
    expect(asked().fromServer(answer(1, ...rows()))).toHaveLength(answer(1, ...rows()).length)
  })
  test('a file that a client sends nevertheless goes nowhere', () =>
    expect(() => asked().fromClient(packet(2, 'root:x:0:0'))).toThrow('the number 2 where 0 has to come'))
  test('what nobody asked, what is out of order and what is no answer are refused', () => {
    expect(() => new Conversation(() => undefined).fromServer(ok(1))).toThrow('what nobody asked')
    expect(() => asked().fromServer(ok(2))).toThrow('begins with the number 2 in place of 1')
    expect(() => asked().fromServer(Buffer.concat([packet(1, 1), packet(3, column('a', 3, 63))]))).toThrow('the number 3 where 2')
    expect(() => asked().fromServer(packet(1))).toThrow('answered nothing')
    expect(() => asked().fromServer(packet(1, 0xfc, 0xff, 0xff))).toThrow('65535 columns')
  })
  test('the last word of a server passes, although nobody asked', () => {
    const word = serverError(0, { errno: 1927, sqlState: '70100', message: 'Connection was killed' })
    expect(new Conversation(() => undefined).fromServer(word)).toEqual(word)
  })
  test('whatever comes is read or refused as what is no protocol', () => {
    const readers: ((body: Buffer) => unknown)[] = [
      ...[readGreeting, readClientStart, readSwitch, readError, readOk, readColumn],
      (body) => readRow(body, [{ name: '', type: '', isBinary: false }]),
      (body) => readCommand({ body, length: body.length }),
      (body) => readParameters(body, 5, [], new Set()),
      (body) => asked().fromServer(body),
      (body) => asked().fromClient(body),
      (body) => {
        for (const kind of ['one', 'results', 'prepared', 'fetched'] as const) new AnswerReader(kind).take({ body, length: body.length })
      },
    ]
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat({ max: readers.length - 1 }), (bytes, index) => {
        try {
          readers[index]?.(Buffer.from(bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError)
        }
      }),
      { numRuns: 3000 },
    )
  })
})

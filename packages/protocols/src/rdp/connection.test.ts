import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ProtocolError } from '../protocol-error.ts'
import { u16, u32 } from './bytes.ts'
import { parseDemandActive } from './capabilities.ts'
import { ChannelReader, encodeChannelMessage } from './channels.ts'
import { encodeFormats, encodeText, parseClipboard } from './clipboard.ts'
import { encodeConnectInitial, parseConnectResponse } from './conference.ts'
import { encodeDer, encodeInteger, readDer, readInteger, tags, tryReadDer } from './der.ts'
import { encodeInput, UpdateReader } from './fast-path.ts'
import { encodeTpkt, PacketCutter } from './framing.ts'
import { answerLicence, isLicence } from './licence.ts'
import { encodeSend, parseMcs, parseX224Data } from './mcs.ts'
import { encodeConnectionRequest, parseConnectionConfirm } from './negotiation.ts'
import { endReason, parseShare } from './share.ts'

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

test('the request names TLS and NLA, and the user as load balancers read it', () => {
  expect(hex(encodeConnectionRequest(3, ''))).toBe('030000130ee000000000000100080003000000')
  expect(encodeConnectionRequest(1, 'a b\r\nlonger-than-that').toString('latin1')).toContain('Cookie: mstshash=ablonger-\r\n')
})

test('the answer is the protocol, or a refusal with its reason', () => {
  const confirm = (...negotiation: number[]): Buffer => Buffer.from([14, 0xd0, 0, 0, 0, 0, 0, ...negotiation])
  expect(parseConnectionConfirm(confirm(2, 0, 8, 0, 2, 0, 0, 0))).toBe(2)
  expect(() => parseConnectionConfirm(confirm(3, 0, 8, 0, 5, 0, 0, 0))).toThrow('NLA')
  expect(() => parseConnectionConfirm(confirm(2, 0, 8, 0, 0, 0, 0, 0))).toThrow('no TLS')
  expect(() => parseConnectionConfirm(confirm())).toThrow('no TLS')
  expect(() => parseConnectionConfirm(Buffer.from([14, 0xe0]))).toThrow(ProtocolError)
})

test('a stream is cut into packets however it comes', () => {
  const stream = Buffer.concat([
    encodeTpkt(Buffer.from('one')),
    Buffer.from([0, 4, 9, 9]),
    Buffer.from([0, 0x80, 5, 7, 7]),
    encodeTpkt(Buffer.from('two')),
  ])
  const kinds = ['connection 6f6e65', 'fastPath 0909', 'fastPath 0707', 'connection 74776f']
  fc.assert(
    fc.property(fc.integer({ min: 1, max: stream.length }), (size) => {
      const cutter = new PacketCutter()
      const packets = []
      for (let at = 0; at < stream.length; at += size) packets.push(...cutter.push(stream.subarray(at, at + size)))
      expect(packets.map(({ kind, body }) => `${kind} ${hex(body)}`)).toEqual(kinds)
    }),
  )
  expect(() => new PacketCutter().push(Buffer.from('HTTP/1.1'))).not.toThrow()
  expect(() => new PacketCutter().push(Buffer.from('SSH-2.0'))).toThrow('does not speak RDP')
})

test('structures of any length are read as they were written, and cut ones are not there yet', () => {
  for (const length of [0, 127, 128, 255, 256, 70_000]) {
    const bytes = encodeDer(tags.octetString, Buffer.alloc(length))
    expect(readDer(bytes)).toMatchObject({ tag: tags.octetString, length: bytes.length })
    expect(tryReadDer(bytes.subarray(0, -1))?.length).toBe(undefined)
  }
  for (const number of [0, 127, 128, 255, 256, 65_535]) expect(readInteger(readDer(encodeInteger(number)).body)).toBe(number)
})

test('the conference asks for 32 bits and its channels, and finds its channels in the answer', () => {
  const request = encodeConnectInitial({ width: 1280, height: 800, keyboardLayout: 0x407, protocol: 2, channels: ['cliprdr'] })
  const core = request.indexOf(Buffer.from([0x01, 0xc0, 216, 0]))
  expect(request.readUInt16LE(core + 8)).toBe(1280)
  expect(request.readUInt32LE(core + 16)).toBe(0x407)
  expect(request.readUInt32LE(core + 212)).toBe(2)
  expect(request.includes('cliprdr\0')).toBe(true)
  const blocks = Buffer.concat([u16(0x0c01, 8), u32(0), u16(0x0c03, 10, 1003, 1, 1005)])
  const answer = (result: number): Buffer =>
    encodeDer(
      0x7f66,
      encodeInteger(result, tags.enumerated),
      encodeInteger(0),
      encodeDer(tags.sequence),
      encodeDer(tags.octetString, Buffer.from('\0\x05\0\x14|\0\x01*McDn', 'latin1'), Buffer.from([blocks.length]), blocks),
    )
  expect(parseConnectResponse(answer(0))).toEqual({ ioChannel: 1003, channels: [1005] })
  expect(() => parseConnectResponse(answer(3))).toThrow('result 3')
})

test('data on a channel', () => {
  const sent = parseX224Data(encodeSend(1007, 1003, Buffer.alloc(300)).subarray(4))
  expect(hex(sent.subarray(0, 8))).toBe('64000603eb70812c')
  const came = Buffer.concat([Buffer.from([0x68]), sent.subarray(1)])
  expect(parseMcs(came)).toMatchObject({ kind: 'data', channel: 1003 })
  expect(parseMcs(Buffer.from([0x21, 0x80]))).toEqual({ kind: 'disconnect' })
  expect(() => parseMcs(Buffer.from([0x2e, 1]))).toThrow('refuses')
})

test('a licence is asked for once, and one that has to be installed is refused', () => {
  const word = (type: number, ...rest: number[]): Buffer => Buffer.from([0x80, 0, 0, 0, type, 3, 0, 0, ...rest])
  expect(isLicence(word(1))).toBe(true)
  expect(answerLicence(word(1), 'lucy')?.includes('lucy\0')).toBe(true)
  expect(answerLicence(word(0xff, 7, 0, 0, 0), 'lucy')).toBeUndefined()
  expect(() => answerLicence(word(2), 'lucy')).toThrow('licence')
})

test('messages of the session, also the short one of xrdp', () => {
  expect(parseShare(u16(6, 0x16, 1002))).toEqual({ kind: 'deactivateAll' })
  const data = (type: number, body: Buffer): Buffer =>
    Buffer.concat([u16(18 + body.length, 0x17, 1002), u32(1), Buffer.from([0, 1]), u16(0), Buffer.from([type, 0]), u16(0), body])
  expect(parseShare(data(0x2f, u32(5)))).toEqual({ kind: 'errorInfo', code: 5 })
  expect(parseShare(data(0x28, Buffer.alloc(0)))).toEqual({ kind: 'fontMap' })
  expect(endReason(5)).toContain('Somebody else')
  expect(endReason(0)).toBeUndefined()
  const bitmap = Buffer.concat([u16(2, 28, 32, 1, 1, 1, 1280, 800), Buffer.alloc(12)])
  const demand = Buffer.concat([u32(9), u16(4, 4 + bitmap.length), Buffer.from('RDP\0'), u16(1, 0), bitmap])
  expect(parseDemandActive(demand)).toEqual({ shareId: 9, width: 1280, height: 800, bitsPerPixel: 32 })
})

test('pictures in fragments are put together', () => {
  const reader = new UpdateReader()
  const part = (fragment: number, text: string): Buffer =>
    Buffer.concat([Buffer.from([1 | (fragment << 4)]), u16(text.length), Buffer.from(text)])
  expect(reader.read(Buffer.concat([part(2, 'on'), part(3, 'e ')]))).toEqual([])
  expect(reader.read(part(1, 'picture'))).toEqual([{ kind: 'bitmap', body: Buffer.from('one picture') }])
})

test('keys, pointer and wheel', () => {
  expect(hex(encodeInput({ kind: 'key', scancode: 0x1e, isDown: true }))).toBe('0404001e')
  expect(hex(encodeInput({ kind: 'key', scancode: 0xe053, isDown: false }))).toBe('04040353')
  expect(hex(encodeInput({ kind: 'button', button: 'right', isDown: true, x: 258, y: 3 }))).toBe('0409200'.concat('0a002010300'))
  expect(hex(encodeInput({ kind: 'wheel', axis: 'vertical', delta: -120, x: 0, y: 0 }))).toBe('040920880300000000')
})

test('text on the clipboard, in pieces', () => {
  const text = 'zeile eins\nÄ und 😀 '.repeat(300)
  const reader = new ChannelReader(100_000)
  const chunks = encodeChannelMessage(encodeText(text))
  expect(chunks.length).toBeGreaterThan(3)
  const whole = chunks.map((chunk) => reader.push(chunk)).at(-1)
  expect(whole && parseClipboard(whole)).toEqual({ kind: 'text', text })
  expect(parseClipboard(encodeFormats(true))).toEqual({ kind: 'formats', hasText: true })
  const small = new ChannelReader(10)
  expect(chunks.map((chunk) => small.push(chunk))).toEqual(chunks.map(() => undefined))
})

test('whatever a desktop sends is refused in words or understood', () => {
  const parsers = [
    parseConnectionConfirm,
    parseConnectResponse,
    parseMcs,
    parseShare,
    parseDemandActive,
    parseClipboard,
    (bytes: Buffer) => new UpdateReader().read(bytes),
  ]
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      for (const parse of parsers)
        try {
          parse(Buffer.from(bytes))
        } catch (error) {
          if (!(error instanceof ProtocolError)) throw error
        }
    }),
  )
})

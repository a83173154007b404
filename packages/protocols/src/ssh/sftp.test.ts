import { expect, test } from 'vitest'
import { decodeSftpAnswer, decodeSftpVersion, encodeSftpRequest, fileTypeOf, SftpPackets } from './sftp.ts'
import { encodeString, encodeUint32, encodeUint64 } from './wire.ts'

const packet = (type: number, ...parts: Uint8Array[]): Buffer => Buffer.concat([Buffer.of(type), ...parts])
const framed = (bytes: Buffer): Buffer => Buffer.concat([encodeUint32(bytes.length), bytes])
const id = encodeUint32(7)

test('a request is its length, type, number and body', () => {
  expect(encodeSftpRequest(7, { kind: 'read', handle: Buffer.from('h'), offset: 2 ** 40, length: 9 }).toString('hex')).toBe(
    ['00000016', '05', '00000007', '0000000168', '0000010000000000', '00000009'].join(''),
  )
  expect(encodeSftpRequest(1, { kind: 'open', path: 'ä', flags: 26, mode: 0o644 }).toString('hex')).toBe(
    ['00000017', '03', '00000001', '00000002c3a4', '0000001a', '00000004', '000001a4'].join(''),
  )
})

test('packets are cut out of the stream wherever it is torn', () => {
  const stream = Buffer.concat([framed(packet(103, id, encodeString('one'))), framed(packet(101, id, id)), framed(packet(2, id))])
  for (let size = 1; size <= stream.length; size += 1) {
    const packets = new SftpPackets()
    const seen: Buffer[] = []
    for (let at = 0; at < stream.length; at += size) seen.push(...packets.push(stream.subarray(at, at + size)))
    expect(seen.map((one) => one[0])).toEqual([103, 101, 2])
    expect(decodeSftpAnswer(seen[0] ?? stream)).toMatchObject({ kind: 'data', id: 7, data: Buffer.from('one') })
  }
})

test('answers are read, with what version 3 may leave out', () => {
  expect(decodeSftpVersion(packet(2, encodeUint32(3)))).toBe(3)
  expect(decodeSftpAnswer(packet(101, id, encodeUint32(2)))).toEqual({ kind: 'status', id: 7, code: 2, message: '' })
  const attributes = Buffer.concat([encodeUint32(1 | 4 | 8), encodeUint64(5n), encodeUint32(0o100644), encodeUint32(1), encodeUint32(9)])
  const names = packet(104, id, encodeUint32(1), encodeString('a'), encodeString('-rw'), attributes)
  const answer = decodeSftpAnswer(names)
  expect(answer).toMatchObject({ kind: 'name', entries: [{ name: Buffer.from('a'), attributes: { size: 5, modified: 9 } }] })
  expect(answer.kind === 'name' && answer.entries[0] && fileTypeOf(answer.entries[0].attributes)).toBe('file')
  expect(fileTypeOf({ size: 1, mode: undefined, modified: undefined })).toBe('other')
})

test('a hostile server: no length, count or size of its makes more of us than it sent', () => {
  for (const length of [0, 4, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff])
    expect(() => new SftpPackets().push(encodeUint32(length))).toThrow('a packet of')
  for (const bytes of [
    packet(104, id, encodeUint32(0xffff_ffff)),
    packet(103, id, encodeUint32(100)),
    packet(105, id, encodeUint32(1), encodeUint64(2n ** 60n)),
    packet(105, id, encodeUint32(0x8000_0000), encodeUint32(0xffff_ffff)),
    packet(99, id),
    packet(101),
  ])
    expect(() => decodeSftpAnswer(bytes)).toThrow(/SFTP answer/)
  expect(() => decodeSftpVersion(packet(101, id))).toThrow('a version was expected')
})

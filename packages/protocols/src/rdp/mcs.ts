/** MCS (T.125) over X.224: joining the domain and its channels, and data on them. */
import { ProtocolError } from '../protocol-error.ts'
import { RdpReader, u16be } from './bytes.ts'
import { encodeTpkt } from './framing.ts'

const dataHeader = Buffer.from([2, 0xf0, 0x80])
const firstUser = 1001
const types = {
  erectDomain: 0x04,
  disconnect: 0x21,
  attachUser: 0x28,
  attachUserConfirm: 0x2e,
  joinChannel: 0x38,
  joinChannelConfirm: 0x3e,
  sendRequest: 0x64,
  sendIndication: 0x68,
} as const

export const encodeX224Data = (...parts: Uint8Array[]): Buffer => encodeTpkt(dataHeader, ...parts)

/** What a packet of the connection carries. */
export function parseX224Data(body: Buffer): Buffer {
  const reader = new RdpReader(body, 'packet')
  if (reader.u8() !== 2 || reader.u8() !== 0xf0) throw reader.malformed('it carries no data')
  return reader.skip(1).rest()
}

export const encodeErectDomain = (): Buffer => encodeX224Data(Buffer.from([types.erectDomain, 1, 0, 1, 0]))
export const encodeAttachUser = (): Buffer => encodeX224Data(Buffer.from([types.attachUser]))
export const encodeJoinChannel = (user: number, channel: number): Buffer =>
  encodeX224Data(Buffer.from([types.joinChannel]), u16be(user - firstUser, channel))
/** "By the user": how a client takes its leave. */
export const encodeDisconnect = (): Buffer => encodeX224Data(Buffer.from([types.disconnect, 0x80]))

/** A length of the packed encoding rules. */
export const encodePerLength = (length: number): Buffer => (length < 0x80 ? Buffer.from([length]) : u16be(0x8000 | length))

export function readPerLength(reader: RdpReader): number {
  const first = reader.u8()
  return first < 0x80 ? first : ((first & 0x3f) << 8) | reader.u8()
}

export function encodeSend(user: number, channel: number, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return encodeX224Data(
    Buffer.from([types.sendRequest]),
    u16be(user - firstUser, channel),
    Buffer.from([0x70]),
    encodePerLength(length),
    ...parts,
  )
}

export type McsPacket =
  | { kind: 'attached'; user: number }
  | { kind: 'joined'; channel: number }
  | { kind: 'data'; channel: number; data: Buffer }
  | { kind: 'disconnect' }

/** Throws ProtocolError. */
export function parseMcs(body: Buffer): McsPacket {
  const reader = new RdpReader(body, 'message of the desktop')
  const type = reader.u8()
  switch (type & 0xfc) {
    case types.attachUserConfirm & 0xfc:
      if (reader.u8() !== 0) throw refused('to let anybody in')
      return { kind: 'attached', user: reader.u16be() + firstUser }
    case types.joinChannelConfirm & 0xfc:
      if (reader.u8() !== 0) throw refused('a channel')
      return { kind: 'joined', channel: reader.skip(2).u16be() }
    case types.sendIndication: {
      const channel = reader.skip(2).u16be()
      const length = readPerLength(reader.skip(1))
      return { kind: 'data', channel, data: reader.take(length) }
    }
    case types.disconnect & 0xfc:
      return { kind: 'disconnect' }
    default:
      throw reader.malformed(`its type ${type} is unknown`)
  }
}

const refused = (what: string): ProtocolError => new ProtocolError('rdp/refused', `The desktop refuses ${what}.`)

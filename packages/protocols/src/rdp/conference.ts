/** The settings that both sides tell each other when MCS connects: GCC (T.124) blocks inside of BER. */
import { RdpReader, u16, u16be, u32, utf16Field } from './bytes.ts'
import { encodeDer, encodeInteger, readDer, readDerChildren, tags } from './der.ts'
import { encodeX224Data, readPerLength } from './mcs.ts'

export interface ConferenceRequest {
  width: number
  height: number
  /** Of Windows, such as 0x409. */
  keyboardLayout: number
  /** The protocol that was agreed on, told again so that nobody can have changed it. */
  protocol: number
  /** Names of the static channels. */
  channels: readonly string[]
}

const version = 0x0008_0004
const colourDepth8 = 0xca01
/** A build that servers take for a client of today: to older ones some do not send new sizes. */
const clientBuild = 19_045
const earlyFlags = { errorInfo: 0x01, want32Bits: 0x02, validConnectionType: 0x20 } as const
const lanConnection = 6
/** Initialised, encrypted, may be compressed, shows its protocol. */
const channelOptions = 0xc0a0_0000

const block = (type: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(type, body.length + 4), body])
}

const coreBlock = ({ width, height, keyboardLayout, protocol }: ConferenceRequest): Buffer =>
  block(
    0xc001,
    u32(version),
    u16(width, height, colourDepth8, 0xaa03),
    u32(keyboardLayout, clientBuild),
    utf16Field('sallyport', 32),
    u32(4, 0, 12),
    Buffer.alloc(64),
    u16(colourDepth8, 1),
    u32(0),
    // 24 bits, every depth, and 32 where the server can.
    u16(24, 0x0f, earlyFlags.errorInfo | earlyFlags.want32Bits | earlyFlags.validConnectionType),
    Buffer.alloc(64),
    Buffer.from([lanConnection, 0]),
    u32(protocol),
  )

const channelBlock = (channels: readonly string[]): Buffer =>
  block(
    0xc003,
    u32(channels.length),
    ...channels.map((name) => Buffer.concat([Buffer.from(name.padEnd(8, '\0').slice(0, 8), 'latin1'), u32(channelOptions)])),
  )

/** Limits of the domain: channels, users, tokens, priorities, throughput, height, size of a message, version. */
const domain = (...limits: number[]): Buffer => encodeDer(tags.sequence, ...limits.map((limit) => encodeInteger(limit)))

export function encodeConnectInitial(request: ConferenceRequest): Buffer {
  const blocks = Buffer.concat([coreBlock(request), block(0xc002, u32(0, 0)), channelBlock(request.channels)])
  const sized = u16be(0x8000 | blocks.length)
  const conference = Buffer.concat([
    Buffer.from([0, 5, 0, 0x14, 0x7c, 0, 1]),
    u16be(0x8000 | (blocks.length + 14)),
    Buffer.from([0, 8, 0, 0x10, 0, 1, 0xc0, 0]),
    Buffer.from('Duca'),
    sized,
    blocks,
  ])
  const one = Buffer.from([1])
  return encodeX224Data(
    encodeDer(
      0x7f65,
      encodeDer(tags.octetString, one),
      encodeDer(tags.octetString, one),
      encodeDer(tags.boolean, Buffer.from([0xff])),
      domain(34, 2, 0, 1, 0, 1, 0xffff, 2),
      domain(1, 1, 1, 1, 0, 1, 0x420, 2),
      domain(0xffff, 0xfc17, 0xffff, 1, 0, 1, 0xffff, 2),
      encodeDer(tags.octetString, conference),
    ),
  )
}

export interface ConferenceResponse {
  /** The channel of the picture and of everything that is no static channel. */
  ioChannel: number
  /** Ids of the static channels, in the order of the request. */
  channels: number[]
}

/** Throws ProtocolError. */
export function parseConnectResponse(body: Buffer): ConferenceResponse {
  const outer = readDer(body)
  const whole = new RdpReader(body, 'answer of the conference')
  if (outer.tag !== 0x7f66) throw whole.malformed('it is none')
  const [result, , , userData] = readDerChildren(outer.body)
  if (result?.body[0] !== 0) throw whole.malformed(`the desktop refuses with result ${result?.body[0] ?? 'none'}`)
  if (userData?.tag !== tags.octetString) throw whole.malformed('it has no settings')
  const at = userData.body.indexOf('McDn', 0, 'latin1')
  if (at < 0) throw whole.malformed('its settings have no beginning')
  const reader = new RdpReader(userData.body.subarray(at + 4), 'answer of the conference')
  const blocks = new RdpReader(reader.take(readPerLength(reader)), 'settings of the desktop')
  while (blocks.remaining >= 4) {
    const type = blocks.u16()
    const content = new RdpReader(blocks.take(Math.max(0, blocks.u16() - 4)), 'settings of the desktop')
    if (type !== 0x0c03) continue
    const ioChannel = content.u16()
    const channels = Array.from({ length: content.u16() }, () => content.u16())
    return { ioChannel, channels }
  }
  throw whole.malformed('it names no channels')
}

/** The start of a connection, from both ends. */
import { ProtocolError } from '../protocol-error.ts'
import { counted, FieldReader, uint } from './fields.ts'
import { packet } from './packets.ts'

/** Bits of what both ends can do. */
export const can = {
  longPassword: 1,
  foundRows: 1 << 1,
  longFlag: 1 << 2,
  connectWithDatabase: 1 << 3,
  noSchema: 1 << 4,
  odbc: 1 << 6,
  localFiles: 1 << 7,
  ignoreSpace: 1 << 8,
  protocol41: 1 << 9,
  interactive: 1 << 10,
  tls: 1 << 11,
  ignoreSigpipe: 1 << 12,
  transactions: 1 << 13,
  secureConnection: 1 << 15,
  multiStatements: 1 << 16,
  multiResults: 1 << 17,
  preparedMultiResults: 1 << 18,
  pluginAuth: 1 << 19,
  attributes: 1 << 20,
  countedAuth: 1 << 21,
} as const
/** Of MariaDB's extended bits. */
export const canExtended = { bulk: 1 << 2 } as const

/**
 * What may be agreed upon. Compression, local files, and whatever changes answers in ways that are not read here, are not
 * among them; TLS is agreed upon with servers only.
 */
export const understood = Object.values(can).reduce((all, bit) => all | bit, 0) & ~(can.localFiles | can.tls)

export interface Greeting {
  version: string
  /** Number of the connection, as KILL takes it. */
  id: number
  capabilities: number
  /** MariaDB's; 0 of other servers. */
  extended: number
  /** How accounts prove themselves if they say nothing else. */
  plugin: string
}

/** Throws ProtocolError. What begins with 255 is an error in its place: `readError`. */
export function readGreeting(body: Buffer): Greeting {
  const reader = new FieldReader(body)
  const protocol = reader.byte()
  if (protocol !== 10) throw new ProtocolError('bad-version', `protocol ${protocol} is not spoken here`)
  const version = reader.text()
  const id = reader.uint(4)
  reader.bytes(9)
  const low = reader.uint(2)
  reader.bytes(3)
  const capabilities = (low | (reader.uint(2) << 16)) >>> 0
  const scrambleLength = reader.byte()
  reader.bytes(6)
  const extended = reader.uint(4)
  if ((capabilities & can.protocol41) === 0) throw new ProtocolError('bad-version', 'protocols before 4.1 are not spoken here')
  if ((capabilities & can.pluginAuth) === 0) return { version, id, capabilities, extended: 0, plugin: nativePassword }
  reader.bytes(Math.max(13, scrambleLength - 8))
  const plugin = reader.rest().toString('latin1').replace(/\0.*$/s, '')
  return { version, id, capabilities, extended: (capabilities & can.longPassword) === 0 ? extended : 0, plugin }
}

export const nativePassword = 'mysql_native_password'
export const cachingSha2 = 'caching_sha2_password'
const sha256 = 'sha256_password'

/** What an account without a password says; undefined for a way that asks for more. */
export function emptyProof(plugin: string): Buffer | undefined {
  if (plugin === nativePassword) return Buffer.alloc(0)
  return plugin === cachingSha2 || plugin === sha256 ? Buffer.alloc(1) : undefined
}

const utf8mb4 = 45

/** `scramble`: twenty bytes, none of them zero. */
export const greeting = ({ version, id, capabilities, extended, plugin }: Greeting, scramble: Buffer): Buffer =>
  packet(
    0,
    ...[10, `${version}\0`, uint(id, 4), scramble.subarray(0, 8), 0],
    ...[uint(capabilities & 0xff_ff, 2), utf8mb4, uint(2, 2), uint(capabilities >>> 16, 2), scramble.length + 1],
    ...[Buffer.alloc(6), uint(extended, 4), scramble.subarray(8), 0, `${plugin}\0`],
  )

export interface ClientStart {
  capabilities: number
  extended: number
  charset: number
  user: string
  /** Absent when the client names none. */
  database?: string | undefined
  /** How it proves itself. */
  plugin: string
  proof: Buffer
  /** What it says of itself, as it came. */
  attributes: Buffer
}

const mostBytes = 16 * 1024 * 1024
const fixedPart = ({ capabilities, extended, charset }: Pick<ClientStart, 'capabilities' | 'extended' | 'charset'>): Buffer =>
  Buffer.concat([uint(capabilities >>> 0, 4), uint(mostBytes, 4), Buffer.from([charset]), Buffer.alloc(19), uint(extended >>> 0, 4)])

export const tlsRequest = (start: Pick<ClientStart, 'capabilities' | 'extended' | 'charset'>): Buffer => packet(1, fixedPart(start))

/** `capabilities` have to be such as `understood`, with those of plugins. */
export function clientStart(sequence: number, start: ClientStart): Buffer {
  const { capabilities, user, database, plugin, proof, attributes } = start
  return packet(
    sequence,
    fixedPart(start),
    `${user}\0`,
    capabilities & can.countedAuth ? counted(proof) : Buffer.concat([Buffer.from([proof.length]), proof]),
    capabilities & can.connectWithDatabase ? `${database ?? ''}\0` : '',
    `${plugin}\0`,
    capabilities & can.attributes ? counted(attributes) : '',
  )
}

/** Throws ProtocolError. */
export function readClientStart(body: Buffer): ClientStart {
  const reader = new FieldReader(body)
  const capabilities = reader.uint(4)
  if ((capabilities & can.protocol41) === 0) throw new ProtocolError('bad-version', 'protocols before 4.1 are not spoken here')
  if ((capabilities & can.tls) !== 0)
    throw new ProtocolError('tls', 'TLS is not spoken here, for the way here is encrypted: connect with --skip-ssl or --ssl-mode=DISABLED')
  reader.bytes(4)
  const charset = reader.byte()
  reader.bytes(19)
  const extended = reader.uint(4)
  const user = reader.text()
  const proof =
    capabilities & can.countedAuth
      ? reader.counted()
      : capabilities & can.secureConnection
        ? reader.bytes(reader.byte())
        : Buffer.from(reader.text())
  const database = capabilities & can.connectWithDatabase && reader.left > 0 ? reader.text() : ''
  const plugin = capabilities & can.pluginAuth && reader.left > 0 ? reader.text() : nativePassword
  const attributes = capabilities & can.attributes && reader.left > 0 ? reader.counted() : Buffer.alloc(0)
  return { capabilities, extended, charset, user, ...(database !== '' && { database }), plugin, proof, attributes }
}

/** What a client says of itself. */
export const clientAttributes = (attributes: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(attributes).flatMap(([name, value]) => [counted(Buffer.from(name)), counted(Buffer.from(value))]))

/** Asks to prove oneself in another way. */
export const switchPlugin = (sequence: number, plugin: string, scramble: Buffer): Buffer =>
  packet(sequence, 0xfe, `${plugin}\0`, scramble, 0)
/** Undefined for the way of before 4.1, which names none. */
export const readSwitch = (body: Buffer): string | undefined => (body.length === 1 ? undefined : new FieldReader(body, 1).text())
/** The password was right, as `cachingSha2` wants to hear it. */
export const fastProof = (sequence: number): Buffer => packet(sequence, 1, 3)

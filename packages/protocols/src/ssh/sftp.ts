/** SFTP version 3 (draft-ietf-secsh-filexfer-02): a client's requests written, a server's answers read. */
import { encodeString, encodeUint32, encodeUint64, SshReader } from './wire.ts'

export const sftpVersion = 3

export const openFlags = { read: 1, write: 2, append: 4, create: 8, truncate: 16, exclusive: 32 } as const

export const sftpStatus = {
  ok: 0,
  endOfFile: 1,
  noSuchFile: 2,
  permissionDenied: 3,
  failure: 4,
  badMessage: 5,
  noConnection: 6,
  connectionLost: 7,
  unsupported: 8,
} as const

/** Bits of a mode that tell what kind of file it is. */
const typeMask = 0o170000
const fileTypes = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const
export type SftpFileType = keyof typeof fileTypes | 'other'

export interface SftpAttributes {
  readonly size: number | undefined
  /** Permissions with the bits of the type. */
  readonly mode: number | undefined
  /** Seconds since 1970. */
  readonly modified: number | undefined
}

export function fileTypeOf({ mode }: SftpAttributes): SftpFileType {
  if (mode === undefined) return 'other'
  if ((mode & typeMask) === fileTypes.file) return 'file'
  if ((mode & typeMask) === fileTypes.directory) return 'directory'
  return (mode & typeMask) === fileTypes.symlink ? 'symlink' : 'other'
}

const requestTypes = {
  open: 3,
  close: 4,
  read: 5,
  write: 6,
  lstat: 7,
  fstat: 8,
  opendir: 11,
  readdir: 12,
  remove: 13,
  mkdir: 14,
  realpath: 16,
  stat: 17,
  readlink: 19,
  extended: 200,
} as const

const hasPermissions = 4
const attributesOf = (mode: number | undefined): Buffer =>
  mode === undefined ? encodeUint32(0) : Buffer.concat([encodeUint32(hasPermissions), encodeUint32(mode)])

export type SftpRequest =
  | { readonly kind: 'open'; readonly path: string; readonly flags: number; readonly mode?: number }
  | { readonly kind: 'mkdir'; readonly path: string; readonly mode?: number }
  | {
      readonly kind: 'lstat' | 'stat' | 'opendir' | 'remove' | 'realpath' | 'readlink'
      readonly path: string
    }
  | { readonly kind: 'close' | 'readdir' | 'fstat'; readonly handle: Buffer }
  | { readonly kind: 'read'; readonly handle: Buffer; readonly offset: number; readonly length: number }
  | { readonly kind: 'write'; readonly handle: Buffer; readonly offset: number; readonly data: Uint8Array }
  /** Free space of the file system of `path`, where the server is OpenSSH's. */
  | { readonly kind: 'statvfs'; readonly path: string }

function bodyOf(request: SftpRequest): Uint8Array[] {
  switch (request.kind) {
    case 'open':
      return [encodeString(request.path), encodeUint32(request.flags), attributesOf(request.mode)]
    case 'mkdir':
      return [encodeString(request.path), attributesOf(request.mode)]
    case 'statvfs':
      return [encodeString('statvfs@openssh.com'), encodeString(request.path)]
    case 'read':
      return [encodeString(request.handle), encodeUint64(BigInt(request.offset)), encodeUint32(request.length)]
    case 'write':
      return [encodeString(request.handle), encodeUint64(BigInt(request.offset)), encodeUint32(request.data.length), request.data]
    case 'close':
    case 'readdir':
    case 'fstat':
      return [encodeString(request.handle)]
    default:
      return [encodeString(request.path)]
  }
}

export const encodeSftpInit = (): Buffer => Buffer.concat([encodeUint32(5), Buffer.of(1), encodeUint32(sftpVersion)])

export function encodeSftpRequest(id: number, request: SftpRequest): Buffer {
  const type = requestTypes[request.kind === 'statvfs' ? 'extended' : request.kind]
  const body = bodyOf(request)
  const length = body.reduce((sum, part) => sum + part.length, 5)
  return Buffer.concat([encodeUint32(length), Buffer.of(type), encodeUint32(id), ...body], length + 4)
}

export interface SftpEntry {
  /** As the server wrote it: UTF-8 as a rule, but bytes all the same. */
  readonly name: Buffer
  readonly attributes: SftpAttributes
}

export type SftpAnswer =
  | { readonly kind: 'status'; readonly id: number; readonly code: number; readonly message: string }
  | { readonly kind: 'handle'; readonly id: number; readonly handle: Buffer }
  | { readonly kind: 'data'; readonly id: number; readonly data: Buffer }
  | { readonly kind: 'name'; readonly id: number; readonly entries: readonly SftpEntry[] }
  | { readonly kind: 'attributes'; readonly id: number; readonly attributes: SftpAttributes }
  | { readonly kind: 'extended'; readonly id: number; readonly data: Buffer }

const answerTypes = { version: 2, status: 101, handle: 102, data: 103, name: 104, attributes: 105, extended: 201 } as const
const statusTextLength = 500
/** An entry has at least two empty strings and empty attributes. */
const smallestEntry = 12

const readerOf = (packet: Buffer): SshReader => new SshReader(packet.subarray(1), 'SFTP answer')

function safeNumber(reader: SshReader): number {
  const value = Number(reader.uint64())
  if (!Number.isSafeInteger(value)) throw reader.malformed('a number is too large')
  return value
}

function readAttributes(reader: SshReader): SftpAttributes {
  const flags = reader.uint32()
  const size = flags & 1 ? safeNumber(reader) : undefined
  if (flags & 2) {
    reader.uint32()
    reader.uint32()
  }
  const mode = flags & hasPermissions ? reader.uint32() : undefined
  let modified: number | undefined
  if (flags & 8) {
    reader.uint32()
    modified = reader.uint32()
  }
  if (flags >>> 31) for (let count = reader.uint32(); count > 0; count -= 1) void [reader.string(), reader.string()]
  return { size, mode, modified }
}

function readEntries(reader: SshReader): SftpEntry[] {
  const count = reader.uint32()
  if (count * smallestEntry > reader.remaining) throw reader.malformed('it announces more names than it holds')
  return Array.from({ length: count }, () => {
    const name = reader.string()
    reader.string() // the line of `ls -l`, for people
    return { name, attributes: readAttributes(reader) }
  })
}

/** The version that a server speaks. Throws ProtocolError. */
export function decodeSftpVersion(packet: Buffer): number {
  const reader = readerOf(packet)
  if (packet[0] !== answerTypes.version) throw reader.malformed('a version was expected')
  return reader.uint32()
}

/** Throws ProtocolError for what is no answer of version 3. Bytes in the answer are views of `packet`. */
export function decodeSftpAnswer(packet: Buffer): SftpAnswer {
  const reader = readerOf(packet)
  const id = reader.uint32()
  switch (packet[0]) {
    case answerTypes.status: {
      const code = reader.uint32()
      // Some servers leave the text out.
      const message = reader.remaining > 0 ? reader.string().subarray(0, statusTextLength).toString('utf8') : ''
      return { kind: 'status', id, code, message }
    }
    case answerTypes.handle:
      return { kind: 'handle', id, handle: reader.string() }
    case answerTypes.data:
      return { kind: 'data', id, data: reader.string() }
    case answerTypes.name:
      return { kind: 'name', id, entries: readEntries(reader) }
    case answerTypes.attributes:
      return { kind: 'attributes', id, attributes: readAttributes(reader) }
    case answerTypes.extended:
      return { kind: 'extended', id, data: packet.subarray(5) }
    default:
      throw reader.malformed(`the type ${packet[0]} is unknown`)
  }
}

/** Bytes available to the login, of an answer to `statvfs`. */
export function freeBytesOf(data: Buffer): number {
  const reader = new SshReader(data, 'SFTP answer')
  reader.uint64()
  const fragment = Number(reader.uint64())
  reader.uint64()
  reader.uint64()
  return fragment * Number(reader.uint64())
}

/** What OpenSSH sends at most; a longer packet is no SFTP. */
const packetLimit = 256 * 1024

function lengthOf(head: Buffer): number {
  const length = head.readUInt32BE()
  if (length < 5 || length > packetLimit) throw new SshReader(head, 'SFTP answer').malformed(`a packet of ${length} bytes`)
  return length
}

/** Cuts a stream of bytes into packets, without the length before each. What it keeps is one packet at most. */
export class SftpPackets {
  /** The beginning of a packet; the first part holds its length as soon as that has come. */
  #parts: Buffer[] = []
  #kept = 0

  /** Throws ProtocolError. Packets are views of `bytes` where they lie in it as a whole. */
  push(bytes: Buffer): Buffer[] {
    const packets: Buffer[] = []
    let rest = bytes
    while (rest.length > 0) {
      const head = this.#kept >= 4 ? this.#parts[0] : this.#kept === 0 && rest.length >= 4 ? rest : undefined
      const missing = 4 + (head ? lengthOf(head) : 0) - this.#kept
      const taken = rest.subarray(0, missing)
      rest = rest.subarray(missing)
      this.#parts.push(taken)
      this.#kept += taken.length
      if (taken.length < missing) break
      const whole = this.#parts.length === 1 ? taken : Buffer.concat(this.#parts)
      this.#parts = head ? [] : [whole]
      this.#kept = head ? 0 : 4
      if (head) packets.push(whole.subarray(4))
    }
    return packets
  }
}

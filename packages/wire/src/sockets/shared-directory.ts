/**
 * Files of a directory that a person shares with a desktop: what the desktop asks, and what the console answers. Big-endian;
 * a text is `length u32 | UTF-8`, a file is `modified u64 (ms) | size u64 | 0 file, 1 directory u32 | is empty u8 | path text`.
 * Paths are relative to the directory, with slashes; it is itself the empty path. Every request begins with
 * `completion u32 | directory u32`, every answer with `completion u32 | error u32`.
 *
 *  13 info    path                            14  file
 *  15 create  0 file, 1 directory u32 | path  16  file
 *  17 delete  path                            18
 *  19 read    path | offset u64 | length u32  20  length u32 | bytes
 *  21 write   offset u64 | path | length u32 | bytes   22  bytes written u32
 *  23 move    from | to                       24
 *  25 list    path                            26  count u32 | files
 */
import { sharedListLimit, sharedPieceLimit, transferPathLength } from '../limits.ts'
import { DesktopMessageError } from './desktop-message-error.ts'

export const fileRequestTypes = { info: 13, create: 15, delete: 17, read: 19, write: 21, move: 23, list: 25 } as const
type Verb = keyof typeof fileRequestTypes

export interface SharedFile {
  path: string
  isDirectory: boolean
  size: number
  /** Milliseconds since 1970. */
  modified: number
  /** Of a directory: nothing is in it. */
  isEmpty: boolean
}

export const fileErrors = ['none', 'failed', 'missing', 'exists'] as const
export type FileError = (typeof fileErrors)[number]

export type FileWish =
  | { verb: 'info' | 'delete' | 'list'; path: string }
  | { verb: 'create'; path: string; isDirectory: boolean }
  | { verb: 'read'; path: string; offset: number; length: number }
  | { verb: 'write'; path: string; offset: number; data: Uint8Array }
  | { verb: 'move'; path: string; to: string }
export type FileRequest = FileWish & { completion: number; directory: number }

/** What an answer carries when its error is `none`; the fields of other verbs are left out. */
export interface FileAnswer {
  verb: Verb
  completion: number
  error: FileError
  file?: SharedFile
  files?: SharedFile[]
  data?: Uint8Array
  written?: number
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const verbs = Object.keys(fileRequestTypes) as Verb[]
const verbOf = (requestType: number): Verb | undefined => verbs.find((verb) => fileRequestTypes[verb] === requestType)
export const isFileRequest = (type: number): boolean => verbOf(type) !== undefined
export const isFileAnswer = (type: number): boolean => verbOf(type - 1) !== undefined

type Part = { u8: number } | { u32: number } | { u64: number } | { text: string } | { bytes: Uint8Array | undefined }
const fileParts = ({ modified, size, isDirectory, isEmpty, path }: SharedFile): Part[] => [
  { u64: modified },
  { u64: size },
  { u32: Number(isDirectory) },
  { u8: Number(isEmpty) },
  { text: path },
]

function encode(type: number, parts: readonly Part[]): Uint8Array<ArrayBuffer> {
  const pieces = parts.map((part) => ('text' in part ? encoder.encode(part.text) : 'bytes' in part ? part.bytes : undefined))
  const lengthOf = (part: Part, index: number): number =>
    'u8' in part ? 1 : 'u32' in part ? 4 : 'u64' in part ? 8 : 4 + (pieces[index]?.length ?? 0)
  const bytes = new Uint8Array(parts.reduce((sum, part, index) => sum + lengthOf(part, index), 1))
  const view = new DataView(bytes.buffer)
  bytes[0] = type
  let at = 1
  for (const [index, part] of parts.entries()) {
    if ('u8' in part) view.setUint8(at, part.u8)
    else if ('u32' in part) view.setUint32(at, part.u32)
    else if ('u64' in part) view.setBigUint64(at, BigInt(Math.max(0, Math.round(part.u64))))
    else {
      view.setUint32(at, pieces[index]?.length ?? 0)
      bytes.set(pieces[index] ?? [], at + 4)
    }
    at += lengthOf(part, index)
  }
  return bytes
}

export function encodeFileRequest(request: FileRequest): Uint8Array<ArrayBuffer> {
  const path: Part = { text: request.path }
  const parts: Part[] =
    request.verb === 'create'
      ? [{ u32: Number(request.isDirectory) }, path]
      : request.verb === 'read'
        ? [path, { u64: request.offset }, { u32: request.length }]
        : request.verb === 'write'
          ? [{ u64: request.offset }, path, { bytes: request.data }]
          : request.verb === 'move'
            ? [path, { text: request.to }]
            : [path]
  return encode(fileRequestTypes[request.verb], [{ u32: request.completion }, { u32: request.directory }, ...parts])
}

const noFile: SharedFile = { path: '', isDirectory: false, size: 0, modified: 0, isEmpty: false }
export function encodeFileAnswer({
  verb,
  completion,
  error,
  file = noFile,
  files = [],
  data,
  written = 0,
}: FileAnswer): Uint8Array<ArrayBuffer> {
  const parts: Record<Verb, () => Part[]> = {
    info: () => fileParts(file),
    create: () => fileParts(file),
    delete: () => [],
    read: () => [{ bytes: data }],
    write: () => [{ u32: written }],
    move: () => [],
    list: () => [{ u32: files.length }, ...files.flatMap(fileParts)],
  }
  return encode(fileRequestTypes[verb] + 1, [{ u32: completion }, { u32: fileErrors.indexOf(error) }, ...parts[verb]()])
}

class Fields {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 1

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  bytes(length: number): Uint8Array {
    if (length > this.#bytes.length - this.#at) throw new DesktopMessageError(`a message of type ${this.#bytes[0]} ends early`)
    this.#at += length
    return this.#bytes.subarray(this.#at - length, this.#at)
  }

  u8(): number {
    return this.bytes(1)[0] ?? 0
  }

  u32(): number {
    this.bytes(4)
    return this.#view.getUint32(this.#at - 4)
  }

  u64(): number {
    this.bytes(8)
    return Math.min(Number.MAX_SAFE_INTEGER, Number(this.#view.getBigUint64(this.#at - 8)))
  }

  text(): string {
    return decoder.decode(this.bytes(this.u32()))
  }

  file(): SharedFile {
    const [modified, size, type, isEmpty] = [this.u64(), this.u64(), this.u32(), this.u8()]
    return { path: this.text(), isDirectory: type === 1, size, modified, isEmpty: isEmpty !== 0 }
  }
}

export function decodeFileRequest(bytes: Uint8Array): FileRequest {
  const fields = new Fields(bytes)
  const base = { completion: fields.u32(), directory: fields.u32() }
  const verb = verbOf(bytes[0] ?? 0)
  switch (verb) {
    case undefined:
      throw new DesktopMessageError('a request for a file has an unknown type')
    case 'create': {
      const isDirectory = fields.u32() === 1
      return { ...base, verb, isDirectory, path: fields.text() }
    }
    case 'read': {
      const path = fields.text()
      return { ...base, verb, path, offset: fields.u64(), length: fields.u32() }
    }
    case 'write': {
      const offset = fields.u64()
      return { ...base, verb, offset, path: fields.text(), data: fields.bytes(fields.u32()) }
    }
    case 'move': {
      const path = fields.text()
      return { ...base, verb, path, to: fields.text() }
    }
    default:
      return { ...base, verb, path: fields.text() }
  }
}

/** The bytes hold all of it, as `fileAnswerLength` said. */
export function decodeFileAnswer(bytes: Uint8Array): FileAnswer {
  const fields = new Fields(bytes)
  const verb = verbOf((bytes[0] ?? 0) - 1)
  if (!verb) throw new DesktopMessageError('an answer about a file has an unknown type')
  const answer: FileAnswer = { verb, completion: fields.u32(), error: fileErrors[fields.u32()] ?? 'failed' }
  if (verb === 'info' || verb === 'create') answer.file = fields.file()
  else if (verb === 'read') answer.data = fields.bytes(fields.u32())
  else if (verb === 'write') answer.written = fields.u32()
  else if (verb === 'list') answer.files = Array.from({ length: fields.u32() }, () => fields.file())
  return answer
}

const answerHead = 9
const fileHead = 21
/** A file whose path is empty. */
const leastFile = fileHead + 4

/**
 * Bytes of the answer that begins here: of all of it when they are there, and otherwise so many that more can be said.
 * Throws DesktopMessageError for one that is too long.
 */
export function fileAnswerLength(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const verb = verbOf((bytes[0] ?? 0) - 1)
  if (verb === 'delete' || verb === 'move') return answerHead
  if (verb === 'write') return answerHead + 4
  if (verb === 'read') {
    if (bytes.length < answerHead + 4) return answerHead + 4
    const length = view.getUint32(answerHead)
    if (length > sharedPieceLimit) throw new DesktopMessageError('a piece of a file is too long')
    return answerHead + 4 + length
  }
  let at = answerHead
  let left = 1
  if (verb === 'list') {
    if (bytes.length < at + 4) return at + 4
    left = view.getUint32(at)
    at += 4
  }
  for (; left > 0; left -= 1) {
    if (at + left * leastFile > sharedListLimit) throw new DesktopMessageError('a list of files is too long')
    if (bytes.length < at + leastFile) return at + left * leastFile
    const path = view.getUint32(at + fileHead)
    if (path > transferPathLength * 4) throw new DesktopMessageError('the path of a file is too long')
    at += leastFile + path
  }
  return at
}

/** What a MySQL server says to commands: read from servers, and made where the proxy answers in a server's place. */
import { ProtocolError } from '../protocol-error.ts'
import { FieldReader, uint } from './fields.ts'
import { packet } from './packets.ts'
import type { Packet } from './packets.ts'

export interface ServerError {
  errno: number
  sqlState: string
  message: string
}

/** What is in the beginning of a body. */
export function readError(body: Buffer): ServerError {
  const reader = new FieldReader(body, 1)
  const errno = reader.uint(2)
  const text = reader.rest().toString('utf8')
  return text.startsWith('#') ? { errno, sqlState: text.slice(1, 6), message: text.slice(6) } : { errno, sqlState: '', message: text }
}
export const serverError = (sequence: number, { errno, sqlState, message }: ServerError): Buffer =>
  packet(sequence, 0xff, uint(errno, 2), `#${sqlState}${message}`)

const inTransaction = 1
const moreResults = 1 << 3
const cursorExists = 1 << 6
const autocommit = 1 << 1

export interface Ok {
  affected: number
  status: number
  warnings: number
  /** Such as how many rows matched. */
  info: string
}

export function readOk(body: Buffer): Ok {
  const reader = new FieldReader(body, 1)
  const affected = reader.length()
  reader.length()
  const [status, warnings] = [reader.uint(2), reader.uint(2)]
  return { affected, status, warnings, info: reader.left > 0 ? textOf(reader) : '' }
}
/** Only the beginning of the body may be there. */
const textOf = (reader: FieldReader): string => reader.bytes(Math.min(reader.length(), reader.left)).toString('utf8')
export const ok = (sequence: number): Buffer => packet(sequence, 0, 0, 0, uint(autocommit, 2), uint(0, 2))
export const readEnd = (body: Buffer): { warnings: number; status: number } => {
  const reader = new FieldReader(body, 1)
  return { warnings: reader.uint(2), status: reader.uint(2) }
}
export const isInTransaction = (status: number): boolean => (status & inTransaction) !== 0

export interface Column {
  name: string
  type: string
  /** Whether its values are bytes, not text. */
  isBinary: boolean
}

/** Numbers and dates have the character set of bytes, and are text. */
const stringTypes = new Set([15, 16, 249, 250, 251, 252, 253, 254, 255])
const binarySet = 63
const flags = { unsigned: 1 << 5, enum: 1 << 8, set: 1 << 11 } as const
const typeNames: Readonly<Record<number, string>> = {
  0: 'decimal',
  1: 'tinyint',
  2: 'smallint',
  3: 'int',
  4: 'float',
  5: 'double',
  6: 'null',
  7: 'timestamp',
  8: 'bigint',
  9: 'mediumint',
  10: 'date',
  11: 'time',
  12: 'datetime',
  13: 'year',
  14: 'date',
  15: 'varchar',
  16: 'bit',
  245: 'json',
  246: 'decimal',
  247: 'enum',
  248: 'set',
  249: 'tinyblob',
  250: 'mediumblob',
  251: 'longblob',
  252: 'blob',
  253: 'varchar',
  254: 'char',
  255: 'geometry',
}
/** The same types, where their values are the other kind. */
const textNames: Readonly<Record<string, string>> = { tinyblob: 'text', mediumblob: 'text', longblob: 'text', blob: 'text' }
const binaryNames: Readonly<Record<string, string>> = { varchar: 'varbinary', char: 'binary' }

export function readColumn(body: Buffer): Column {
  const reader = new FieldReader(body)
  for (const _skipped of ['catalog', 'schema', 'table', 'original table']) reader.counted()
  const name = reader.counted().toString('utf8')
  reader.counted()
  reader.length()
  const charset = reader.uint(2)
  reader.uint(4)
  const code = reader.byte()
  const flag = reader.uint(2)
  const isBinary = stringTypes.has(code) && charset === binarySet
  const base = flag & flags.enum ? 'enum' : flag & flags.set ? 'set' : (typeNames[code] ?? '')
  const named = (isBinary ? binaryNames[base] : stringTypes.has(code) ? textNames[base] : undefined) ?? base
  return { name, type: flag & flags.unsigned && code <= 9 ? `${named} unsigned` : named, isBinary }
}

/** Values in their text form, bytes in hexadecimal; null for NULL. */
export function readRow(body: Buffer, columns: readonly Column[]): (string | null)[] {
  const reader = new FieldReader(body)
  return columns.map(({ isBinary }) => {
    const length = reader.lengthOrNull()
    if (length === undefined) return null
    const bytes = reader.bytes(length)
    return isBinary ? `0x${bytes.toString('hex')}` : bytes.toString('utf8')
  })
}

/** What comes in answer to a command. */
export type AnswerKind = 'none' | 'one' | 'results' | 'prepared' | 'fetched' | 'fields'
/** What one packet of an answer is. */
export type Part = 'ok' | 'error' | 'count' | 'column' | 'columns-end' | 'row' | 'end' | 'prepared'
type Expected = 'first' | 'columns' | 'columns-end' | 'rows' | 'parameters' | 'parameters-end'

const mostColumns = 4096
const longestEnd = 9

/** The packets of one answer, told apart by the beginnings of their bodies. */
export class AnswerReader {
  readonly #kind: AnswerKind
  #expected: Expected
  #left = 0
  #columns = 0
  isOver: boolean

  constructor(kind: AnswerKind) {
    this.#kind = kind
    this.isOver = kind === 'none'
    this.#expected = kind === 'fetched' || kind === 'fields' ? 'rows' : 'first'
  }

  /** Throws ProtocolError for what cannot be, and for a server that wants a file of its client. */
  take({ length, body }: Pick<Packet, 'length' | 'body'>): Part {
    const first = body[0]
    if (first === undefined) throw unexpected('nothing')
    if (first === 0xff && length > 2) {
      this.isOver = true
      return 'error'
    }
    switch (this.#expected) {
      case 'first':
        return this.#first(first, body)
      case 'columns':
      case 'parameters':
        this.#left -= 1
        if (this.#left === 0) this.#expected = this.#expected === 'columns' ? 'columns-end' : 'parameters-end'
        return 'column'
      case 'columns-end':
      case 'parameters-end':
        return this.#afterColumns(first, length, body)
      case 'rows':
        if (first !== 0xfe || length >= longestEnd) return 'row'
        this.#finish(readEnd(body).status)
        return 'end'
    }
  }

  #first(first: number, body: Buffer): Part {
    if (this.#kind === 'one') {
      this.isOver = true
      return first === 0 ? 'ok' : 'end'
    }
    if (this.#kind === 'prepared') {
      if (first !== 0) throw unexpected(`${first}`)
      const { columns, parameters } = readPrepared(body)
      this.#columns = columns
      this.#left = parameters > 0 ? parameters : columns
      this.#expected = parameters > 0 ? 'parameters' : 'columns'
      this.isOver = this.#left === 0
      return 'prepared'
    }
    if (first === 0) {
      this.#finish(readOk(body).status)
      return 'ok'
    }
    if (first === 0xfb) throw new ProtocolError('local-file', 'the database asks for a file of the client, which no database is given here')
    this.#left = readCount(body)
    if (this.#left === 0 || this.#left > mostColumns) throw unexpected(`${this.#left} columns`)
    this.#expected = 'columns'
    return 'count'
  }

  #afterColumns(first: number, length: number, body: Buffer): Part {
    if (first !== 0xfe || length >= longestEnd) throw unexpected(`${first} behind the columns`)
    if (this.#kind === 'prepared') {
      const goesOn = this.#expected === 'parameters-end' && this.#columns > 0
      this.#expected = 'columns'
      this.#left = this.#columns
      this.isOver = !goesOn
    } else if ((readEnd(body).status & cursorExists) === 0) this.#expected = 'rows'
    else this.#finish(readEnd(body).status)
    return 'columns-end'
  }

  #finish(status: number): void {
    this.#expected = 'first'
    this.isOver = (status & moreResults) === 0
  }
}

const readCount = (body: Buffer): number => new FieldReader(body).length()
const unexpected = (what: string): ProtocolError => new ProtocolError('unexpected', `the database answered ${what}`)

/** Of a statement that was prepared. */
export function readPrepared(body: Buffer): { statement: number; columns: number; parameters: number } {
  const reader = new FieldReader(body, 1)
  return { statement: reader.uint(4), columns: reader.uint(2), parameters: reader.uint(2) }
}

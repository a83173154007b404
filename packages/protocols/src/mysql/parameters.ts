/** Values that a client binds to a prepared statement, as text. */
import { ProtocolError } from '../protocol-error.ts'
import { FieldReader } from './fields.ts'

export interface Bound {
  /** Of types that were told now or before. */
  types: readonly number[]
  values: string[]
}

/** The first fields of an execution: command, statement, flags, iterations. */
const fixedLength = 10
const unsignedBit = 0x80_00
const widths: Readonly<Record<number, number>> = { 1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 4, 13: 2 }

/**
 * Of a body that is cut off, as many as are there. `known`: the types of the execution before; `sent`: places whose values
 * came on their own.
 */
export function readParameters(body: Buffer, count: number, known: readonly number[], sent: ReadonlySet<number>): Bound {
  const values: string[] = []
  let types = known
  if (count === 0) return { types, values }
  try {
    const reader = new FieldReader(body, fixedLength)
    const nulls = reader.bytes((count + 7) >> 3)
    if (reader.byte() === 1) types = Array.from({ length: count }, () => reader.uint(2))
    for (let place = 0; place < count; place += 1) {
      const isNull = ((nulls[place >> 3] ?? 0) & (1 << (place & 7))) !== 0
      values.push(isNull ? 'NULL' : sent.has(place) ? '' : readValue(reader, types[place] ?? 0))
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error // the rest is beyond what is kept, or for the database to refuse
  }
  return { types, values }
}

function readValue(reader: FieldReader, type: number): string {
  const isUnsigned = (type & unsignedBit) !== 0
  const code = type & 0xff
  const width = widths[code]
  if (width !== undefined) return readNumber(reader.bytes(width), code, isUnsigned)
  if (code === 6) return 'NULL'
  if (code === 7 || code === 10 || code === 12) return readDate(new FieldReader(reader.bytes(reader.byte())))
  if (code === 11) return readTime(new FieldReader(reader.bytes(reader.byte())))
  const bytes = reader.counted()
  const text = bytes.toString('utf8')
  return text.includes('\ufffd') ? `0x${bytes.toString('hex')}` : text
}

function readNumber(bytes: Buffer, code: number, isUnsigned: boolean): string {
  if (code === 4) return String(bytes.readFloatLE())
  if (code === 5) return String(bytes.readDoubleLE())
  if (bytes.length === 8) return String(isUnsigned ? bytes.readBigUInt64LE() : bytes.readBigInt64LE())
  return String(isUnsigned ? bytes.readUIntLE(0, bytes.length) : bytes.readIntLE(0, bytes.length))
}

const two = (value: number): string => String(value).padStart(2, '0')
const fraction = (reader: FieldReader): string => (reader.left >= 4 ? `.${String(reader.uint(4)).padStart(6, '0')}` : '')
const clock = (reader: FieldReader): string => [reader.byte(), reader.byte(), reader.byte()].map(two).join(':') + fraction(reader)

function readDate(reader: FieldReader): string {
  if (reader.left === 0) return '0000-00-00'
  const date = `${String(reader.uint(2)).padStart(4, '0')}-${two(reader.byte())}-${two(reader.byte())}`
  return reader.left === 0 ? date : `${date} ${clock(reader)}`
}

function readTime(reader: FieldReader): string {
  if (reader.left === 0) return '00:00:00'
  const sign = reader.byte() === 1 ? '-' : ''
  const days = reader.uint(4)
  return `${sign}${days > 0 ? `${days} ` : ''}${clock(reader)}`
}

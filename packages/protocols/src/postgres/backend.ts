/** What a PostgreSQL server says: read from servers, and made where the proxy answers in a server's place. */
import { BodyReader, frame } from './frames.ts'
import type { BackendKey } from './frontend.ts'

export interface Column {
  name: string
  /** Of the type, in the catalogue. */
  oid: number
}

export const readColumns = (body: Buffer): Column[] => {
  const reader = new BodyReader(body)
  return Array.from({ length: reader.short() }, () => {
    const name = reader.text()
    reader.bytes(6)
    const oid = reader.unsigned()
    reader.bytes(8)
    return { name, oid }
  })
}

/** Values in their text form; null for NULL. */
export const readRow = (body: Buffer): (string | null)[] => {
  const reader = new BodyReader(body)
  const row: (string | null)[] = []
  for (let left = reader.short(); left > 0; left -= 1) {
    const length = reader.int()
    row.push(length === -1 ? null : reader.textOf(length))
  }
  return row
}

/** An error or a notice. */
export interface ServerMessage {
  severity: string
  code: string
  message: string
  detail: string
  hint: string
  /** Place in the statement, counted in characters from 1; 0 for none. */
  position: number
  where: string
}

export function readServerMessage(body: Buffer): ServerMessage {
  const reader = new BodyReader(body)
  const fields = new Map<string, string>()
  for (let field = reader.byte(); field !== 0; field = reader.byte()) fields.set(String.fromCharCode(field), reader.text())
  const of = (field: string): string => fields.get(field) ?? ''
  return {
    // The one that is not translated, where there is one.
    severity: of('V') || of('S'),
    code: of('C'),
    message: of('M'),
    detail: of('D'),
    hint: of('H'),
    position: Number(of('P')) || 0,
    where: of('W'),
  }
}

export const readTag = (body: Buffer): string => new BodyReader(body).text()
export const readParameter = (body: Buffer): [name: string, value: string] => {
  const reader = new BodyReader(body)
  return [reader.text(), reader.text()]
}
export const readBackendKey = (body: Buffer): BackendKey => {
  const reader = new BodyReader(body)
  return { pid: reader.int(), secret: reader.int() }
}
/** How a server wants the client to prove itself; 0 for not (any more). */
export const readAuthentication = (body: Buffer): number => new BodyReader(body).int()

const transactions = { I: 'idle', T: 'open', E: 'failed' } as const
export type Transaction = (typeof transactions)[keyof typeof transactions]
export const readTransaction = (body: Buffer): Transaction => transactions[body.toString('latin1') as keyof typeof transactions] ?? 'idle'

/** `FATAL`, in the form that every client shows. */
export const fatalError = (code: string, message: string): Buffer =>
  frame('E', `SFATAL\0VFATAL\0C${code}\0M${message.replaceAll('\0', ' ')}\0\0`)
export const authenticationOk = (): Buffer => frame('R', Buffer.alloc(4))
/** To clients of a later minor version: this one is spoken, without these extensions. */
export function negotiateVersion(extensions: readonly string[]): Buffer {
  const numbers = Buffer.alloc(8)
  numbers.writeInt32BE(3 << 16, 0)
  numbers.writeInt32BE(extensions.length, 4)
  return frame('v', numbers, ...extensions.map((name) => `${name}\0`))
}

/** Names of common types by their number in the catalogue. */
export const typeNames: Readonly<Record<number, string>> = {
  16: 'bool',
  17: 'bytea',
  18: 'char',
  19: 'name',
  20: 'int8',
  21: 'int2',
  23: 'int4',
  25: 'text',
  26: 'oid',
  114: 'json',
  142: 'xml',
  600: 'point',
  650: 'cidr',
  700: 'float4',
  701: 'float8',
  790: 'money',
  829: 'macaddr',
  869: 'inet',
  1000: 'bool[]',
  1007: 'int4[]',
  1009: 'text[]',
  1015: 'varchar[]',
  1016: 'int8[]',
  1042: 'char',
  1043: 'varchar',
  1082: 'date',
  1083: 'time',
  1114: 'timestamp',
  1184: 'timestamptz',
  1186: 'interval',
  1266: 'timetz',
  1560: 'bit',
  1700: 'numeric',
  2205: 'regclass',
  2950: 'uuid',
  3802: 'jsonb',
  3904: 'int4range',
}

/** What PostgreSQL's clients say: made for connections of our own, read where those of others pass through. */
import { ProtocolError } from '../protocol-error.ts'
import { BodyReader, frame } from './frames.ts'
import type { Frame } from './frames.ts'

const protocolVersion = 3 << 16
const sslCode = 80_877_103
const gssCode = 80_877_104
const cancelCode = 80_877_102
/** As PostgreSQL's own. */
const startupLimit = 10_000

const int = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const short = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}
const untyped = (...parts: readonly Buffer[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([int(body.length + 4), body])
}

export const sslRequest = (): Buffer => untyped(int(sslCode))
export const cancelRequest = ({ pid, secret }: BackendKey): Buffer => untyped(int(cancelCode), int(pid), int(secret))
export const startup = (parameters: Readonly<Record<string, string>>): Buffer =>
  untyped(int(protocolVersion), ...Object.entries(parameters).map(([name, value]) => Buffer.from(`${name}\0${value}\0`)), Buffer.alloc(1))
/** One statement: parsed, bound without parameters, described, run to its end, all values as text. */
export const runStatement = (text: string): Buffer =>
  Buffer.concat([
    frame('P', `\0${text}\0`, short(0)),
    frame('B', '\0\0', short(0), short(0), short(0)),
    frame('D', 'P\0'),
    frame('E', '\0', int(0)),
    frame('S'),
  ])
export const sync = (): Buffer => frame('S')
export const copyFail = (reason: string): Buffer => frame('f', `${reason}\0`)
export const terminate = (): Buffer => frame('X')

/** What a cancel request has to know of a connection. */
export interface BackendKey {
  pid: number
  secret: number
}

export type FirstMessage =
  | { kind: 'ssl' | 'gss' }
  | ({ kind: 'cancel' } & BackendKey)
  | { kind: 'startup'; minor: number; parameters: Record<string, string> }

/** The first message of a client and what follows it; undefined while it is not whole. Throws ProtocolError. */
export function readFirst(bytes: Buffer): { message: FirstMessage; rest: Buffer } | undefined {
  if (bytes.length < 8) return undefined
  const length = bytes.readInt32BE(0)
  if (length < 8 || length > startupLimit) throw new ProtocolError('bad-length', `a first message cannot have a length of ${length}`)
  if (bytes.length < length) return undefined
  return { message: readFirstBody(new BodyReader(bytes.subarray(4, length))), rest: bytes.subarray(length) }
}

function readFirstBody(body: BodyReader): FirstMessage {
  const code = body.int()
  if (code === sslCode) return { kind: 'ssl' }
  if (code === gssCode) return { kind: 'gss' }
  if (code === cancelCode) return { kind: 'cancel', pid: body.int(), secret: body.int() }
  if (code >> 16 !== 3) throw new ProtocolError('bad-version', `protocol ${code >> 16}.${code & 0xffff} is not spoken here`)
  const parameters = new Map<string, string>()
  for (let name = body.text(); name !== ''; name = body.text()) parameters.set(name, body.text())
  return { kind: 'startup', minor: code & 0xffff, parameters: Object.fromEntries(parameters) }
}

/** A message that does something, of a client whose connection passes through. */
export type Command =
  | { kind: 'query'; text: string }
  | { kind: 'parse'; statement: string; text: string }
  | { kind: 'bind'; statement: string; portal: string; parameters: string[] }
  | { kind: 'execute'; portal: string }
  | { kind: 'close'; statement?: string; portal?: string }
  | { kind: 'function'; oid: number; parameters: string[] }

/** What is told of values; undefined: nothing of note. Only the beginning of a body has to be there. Throws ProtocolError. */
export function readCommand({ type, body, length }: Frame): Command | undefined {
  const reader = new BodyReader(body)
  const isWhole = body.length === length
  const text = (): string => (isWhole ? reader.text() : reader.textSoFar())
  switch (type) {
    case 'Q':
      return { kind: 'query', text: text() }
    case 'P':
      return { kind: 'parse', statement: text(), text: text() }
    case 'B':
      return { kind: 'bind', portal: text(), statement: text(), parameters: parametersOf(reader, isWhole) }
    case 'E':
      return { kind: 'execute', portal: text() }
    case 'C': {
      const what = reader.byte()
      return what === 0x53 ? { kind: 'close', statement: text() } : { kind: 'close', portal: text() }
    }
    case 'F':
      return { kind: 'function', oid: reader.unsigned(), parameters: parametersOf(reader, isWhole) }
    default:
      return undefined
  }
}

/** Text as it is, binary values in hexadecimal. Of a body that is cut off, as many as are there. */
function parametersOf(reader: BodyReader, isWhole: boolean): string[] {
  const values: string[] = []
  try {
    const formats = Array.from({ length: reader.short() }, () => reader.short())
    const count = reader.short()
    for (let index = 0; index < count; index += 1) {
      const length = reader.int()
      if (length === -1) values.push('NULL')
      else {
        const isBinary = (formats[index] ?? formats[0] ?? 0) === 1
        values.push(reader.bytes(length).toString(isBinary ? 'hex' : 'utf8'))
      }
    }
  } catch (error) {
    if (isWhole || !(error instanceof ProtocolError)) throw error
  }
  return values
}

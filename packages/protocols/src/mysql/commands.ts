/** What MySQL's clients say once they are in: made for connections of our own, read where those of others pass through. */
import type { AnswerKind } from './answers.ts'
import { FieldReader } from './fields.ts'
import { packet } from './packets.ts'
import type { Packet } from './packets.ts'

export const queryCommand = (text: string): Buffer => packet(0, 3, text)
export const quitCommand = (): Buffer => packet(0, 1)

/** A command of a client whose connection passes through. */
export type Command =
  | { kind: 'quit' }
  | { kind: 'query' | 'prepare'; text: string }
  | { kind: 'init-db' | 'create-db' | 'drop-db'; name: string }
  | { kind: 'refresh'; bits: number }
  | { kind: 'shutdown' | 'debug' }
  | { kind: 'kill'; id: number }
  /** `parameters` reads them, once it is known how many there are. */
  | { kind: 'execute'; statement: number; body: Buffer }
  | { kind: 'bulk-execute' | 'close' | 'reset'; statement: number }
  | { kind: 'long-data'; statement: number; parameter: number; size: number }
  | { kind: 'fetch'; statement: number; rows: number }
  | { kind: 'fields'; table: string }
  /** Begins the connection anew. */
  | { kind: 'reset-connection' }
  /** Nothing that the audit log tells of. */
  | { kind: 'other' }
  /** Not passed on: `name` says what it is. */
  | { kind: 'refused'; name: string }

const long = 4
/** In place of the number of a statement: the one that was prepared last. */
export const lastStatement = 0xff_ff_ff_ff

/** Only the beginning of a body has to be there. Throws ProtocolError. */
export function readCommand({ body, length }: Pick<Packet, 'body' | 'length'>): [command: Command, answer: AnswerKind] {
  const reader = new FieldReader(body)
  const code = reader.byte()
  const text = (): string => reader.rest().toString('utf8')
  switch (code) {
    case 0x01:
      return [{ kind: 'quit' }, 'none']
    case 0x02:
      return [{ kind: 'init-db', name: text() }, 'one']
    case 0x03:
      return [{ kind: 'query', text: text() }, 'results']
    case 0x04:
      return [{ kind: 'fields', table: text().replace(/\0.*$/s, '') }, 'fields']
    case 0x05:
      return [{ kind: 'create-db', name: text() }, 'one']
    case 0x06:
      return [{ kind: 'drop-db', name: text() }, 'one']
    case 0x07:
      return [{ kind: 'refresh', bits: reader.byte() }, 'one']
    case 0x08:
      return [{ kind: 'shutdown' }, 'one']
    case 0x0a:
      return [{ kind: 'other' }, 'results']
    case 0x0c:
      return [{ kind: 'kill', id: reader.uint(long) }, 'one']
    case 0x0d:
      return [{ kind: 'debug' }, 'one']
    // Statistics, a ping, an option.
    case 0x09:
    case 0x0e:
    case 0x1b:
      return [{ kind: 'other' }, 'one']
    case 0x16:
      return [{ kind: 'prepare', text: text() }, 'prepared']
    case 0x17:
      return [{ kind: 'execute', statement: reader.uint(long), body }, 'results']
    case 0x18:
      return [{ kind: 'long-data', statement: reader.uint(long), parameter: reader.uint(2), size: length - 7 }, 'none']
    case 0x19:
      return [{ kind: 'close', statement: reader.uint(long) }, 'none']
    case 0x1a:
      return [{ kind: 'reset', statement: reader.uint(long) }, 'one']
    case 0x1c:
      return [{ kind: 'fetch', statement: reader.uint(long), rows: reader.uint(long) }, 'fetched']
    case 0x1f:
      return [{ kind: 'reset-connection' }, 'one']
    case 0xfa:
      return [{ kind: 'bulk-execute', statement: reader.uint(long) }, 'results']
    default:
      return [{ kind: 'refused', name: refusedNames[code] ?? `command ${code}` }, 'none']
  }
}

const refusedNames: Readonly<Record<number, string>> = {
  0x11: 'a change of the user',
  0x12: 'replication',
  0x13: 'replication',
  0x15: 'replication',
  0x1e: 'replication',
  0x20: 'a clone of the server',
}

const refreshNames = ['GRANT', 'LOG', 'TABLES', 'HOSTS', 'STATUS', 'THREADS', 'REPLICA', 'MASTER']
export const refreshed = (bits: number): string =>
  refreshNames
    .filter((_name, index) => (bits & (1 << index)) !== 0)
    .map((name) => `REFRESH_${name}`)
    .join(', ')

/** `KILL`, as clients send it when somebody interrupts them; undefined for another statement. */
export function readKill(text: string): { id: number; what: 'query' | 'connection' } | undefined {
  const found = /^\s*kill\s+(?:hard\s+|soft\s+)?(?:\/\*!\d*\s*query\s*\*\/\s*|(query|connection)\s+)?(\d{1,10})\s*;?\s*$/i.exec(text)
  if (!found) return undefined
  const isQuery = found[1]?.toLowerCase() === 'query' || found[0].includes('/*!')
  return { id: Number(found[2]), what: isQuery ? 'query' : 'connection' }
}

/**
 * Reads along with an SFTP conversation (version 3, draft-ietf-secsh-filexfer-02) that somebody else has: what a client asks
 * for by name, and how each of these requests ends. File contents are passed over without a copy.
 *
 *   uint32 length  byte type  uint32 id  <fields>
 */
import { ProtocolError } from '../protocol-error.ts'
import { SshReader } from './wire.ts'

export type SftpOperation =
  | 'open'
  | 'list'
  | 'setAttributes'
  | 'remove'
  | 'makeDirectory'
  | 'removeDirectory'
  | 'rename'
  | 'symlink'
  | 'hardLink'

export interface SftpRequest {
  readonly operation: SftpOperation
  readonly path: string
  /** Of operations with two names. */
  readonly targetPath?: string
  /** Of `open`: the flags of the protocol. */
  readonly flags?: number
}

export interface SftpOutcome {
  readonly request: SftpRequest
  /** Undefined when it was done. */
  readonly error: string | undefined
}

const headerLength = 9
/** No frame with names in it is longer; contents may be. */
const namedLimit = 64 * 1024
const frameLimit = 64 * 1024 * 1024
/** Requests that wait for their answer; no client has so many. */
const outstandingLimit = 10_000
const types = { init: 1, version: 2, extended: 200, status: 101, handle: 102 } as const
const plainRequests: ReadonlyMap<number, SftpOperation> = new Map([
  [3, 'open'],
  [9, 'setAttributes'],
  [11, 'list'],
  [13, 'remove'],
  [14, 'makeDirectory'],
  [15, 'removeDirectory'],
  [18, 'rename'],
  [20, 'symlink'],
])
const extendedRequests: ReadonlyMap<string, SftpOperation> = new Map([
  ['posix-rename@openssh.com', 'rename'],
  ['hardlink@openssh.com', 'hardLink'],
  ['lsetstat@openssh.com', 'setAttributes'],
])
const twoNames: ReadonlySet<SftpOperation> = new Set(['rename', 'symlink', 'hardLink'])

/** Splits one direction into frames and hands out those whose type is wanted, whole; others only pass. */
class Frames {
  readonly #isWanted: (type: number) => boolean
  /** The frame that is being gathered: its header, and all of it when it is wanted. */
  #gathered = Buffer.alloc(0)
  /** Bytes of an unwanted frame that are still to come. */
  #passing = 0

  constructor(isWanted: (type: number) => boolean) {
    this.#isWanted = isWanted
  }

  *read(chunk: Buffer): Generator<{ type: number; id: number; fields: SshReader }> {
    let rest = chunk
    while (rest.length > 0) {
      if (this.#passing > 0) {
        const passed = Math.min(this.#passing, rest.length)
        this.#passing -= passed
        rest = rest.subarray(passed)
        continue
      }
      rest = this.#gather(rest, headerLength)
      if (this.#gathered.length < 5) continue
      const length = this.#gathered.readUInt32BE(0) + 4
      if (length < 5 || length > frameLimit) throw new ProtocolError('ssh/malformed', `an SFTP frame of ${length} bytes`)
      const type = this.#gathered.readUInt8(4)
      if (!this.#isWanted(type)) {
        // The header may reach into the next frame when this one is shorter.
        const over = Math.max(0, this.#gathered.length - length)
        if (over > 0) rest = Buffer.concat([this.#gathered.subarray(length), rest])
        this.#passing = Math.max(0, length - this.#gathered.length)
        this.#gathered = Buffer.alloc(0)
        continue
      }
      if (length < headerLength || length > namedLimit)
        throw new ProtocolError('ssh/malformed', `an SFTP frame of type ${type} with ${length} bytes`)
      rest = this.#gather(rest, length)
      if (this.#gathered.length < length) continue
      const fields = new SshReader(this.#gathered.subarray(headerLength), 'SFTP frame')
      const id = this.#gathered.readUInt32BE(5)
      this.#gathered = Buffer.alloc(0)
      yield { type, id, fields }
    }
  }

  #gather(bytes: Buffer, length: number): Buffer {
    const missing = Math.max(0, length - this.#gathered.length)
    if (missing > 0) this.#gathered = Buffer.concat([this.#gathered, bytes.subarray(0, missing)])
    return bytes.subarray(missing)
  }
}

export class SftpWatch {
  readonly #requests = new Frames((type) => plainRequests.has(type) || type === types.extended)
  readonly #answers = new Frames((type) => type === types.status || type === types.handle)
  readonly #outstanding = new Map<number, SftpRequest>()

  /** Throws ProtocolError for what is no SFTP. */
  fromClient(chunk: Buffer): void {
    for (const { type, id, fields } of this.#requests.read(chunk)) {
      const request = readRequest(type, fields)
      if (!request) continue
      if (this.#outstanding.size >= outstandingLimit) throw new ProtocolError('ssh/malformed', 'too many SFTP requests without an answer')
      this.#outstanding.set(id, request)
    }
  }

  /** The requests that end with these bytes. Throws ProtocolError. */
  fromServer(chunk: Buffer): SftpOutcome[] {
    const outcomes: SftpOutcome[] = []
    for (const { type, id, fields } of this.#answers.read(chunk)) {
      const request = this.#outstanding.get(id)
      if (!request) continue
      this.#outstanding.delete(id)
      outcomes.push({ request, error: type === types.status ? readFailure(fields) : undefined })
    }
    return outcomes
  }
}

function readRequest(type: number, fields: SshReader): SftpRequest | undefined {
  const operation = type === types.extended ? extendedRequests.get(fields.text()) : plainRequests.get(type)
  if (!operation) return undefined
  const path = fields.string().toString('utf8')
  if (twoNames.has(operation)) return { operation, path, targetPath: fields.string().toString('utf8') }
  return operation === 'open' ? { operation, path, flags: fields.uint32() } : { operation, path }
}

function readFailure(fields: SshReader): string | undefined {
  const code = fields.uint32()
  if (code === 0) return undefined
  const text = fields.remaining > 0 ? fields.string().toString('utf8') : ''
  return text === '' ? `status ${code}` : text
}

/** A client of SFTP over the channel of its subsystem. Answers are not trusted: one that breaks the protocol ends it. */
import {
  decodeSftpAnswer,
  decodeSftpVersion,
  encodeSftpInit,
  encodeSftpRequest,
  freeBytesOf,
  SftpPackets,
  sftpStatus,
} from '@sallyport/protocols/ssh/sftp.ts'
import type { SftpAnswer, SftpAttributes, SftpEntry, SftpRequest } from '@sallyport/protocols/ssh/sftp.ts'
import type { ShellChannel } from './channel.ts'
import { SshError } from './ssh-error.ts'

/** The server's own refusal of a request. */
export class SftpError extends Error {
  override readonly name = 'SftpError'
  /** One of sftpStatus. */
  readonly code: number
  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

/** What names an open file or directory. */
export type SftpHandle = Buffer

/** Requests may be under way in any number; each rejects with SftpError, or with SshError when the channel is gone. */
export interface Sftp {
  /** `flags`: openFlags added up. `mode`: of a file that this creates. */
  open(path: string, flags: number, mode?: number): Promise<SftpHandle>
  close(handle: SftpHandle): Promise<void>
  /** At most `length` bytes; fewer do not mean the end, none do. */
  read(handle: SftpHandle, offset: number, length: number): Promise<Buffer>
  write(handle: SftpHandle, offset: number, data: Uint8Array): Promise<void>
  fstat(handle: SftpHandle): Promise<SftpAttributes>
  stat(path: string): Promise<SftpAttributes>
  lstat(path: string): Promise<SftpAttributes>
  opendir(path: string): Promise<SftpHandle>
  /** The next entries; none at the end. */
  readdir(handle: SftpHandle): Promise<readonly SftpEntry[]>
  mkdir(path: string): Promise<void>
  remove(path: string): Promise<void>
  realpath(path: string): Promise<string>
  readlink(path: string): Promise<string>
  /** Bytes that the login may still store at `path`; undefined where the server does not tell. */
  freeBytes(path: string): Promise<number | undefined>
}

/** A server that has accepted the subsystem has to greet within this. */
const greetingTimeout = 15_000

interface Waiting {
  resolve(answer: SftpAnswer): void
  reject(error: Error): void
}

/** Speaks SFTP on the channel, which it owns from here on. Rejects with SshError `channel-refused` when nobody there does. */
export async function openSftp(channel: ShellChannel): Promise<Sftp> {
  const packets = new SftpPackets()
  const waiting = new Map<number, Waiting>()
  const greeted = Promise.withResolvers<void>()
  let failure: Error | undefined
  let isGreeted = false
  let lastId = 0

  const fail = (error: Error): void => {
    failure ??= error
    greeted.reject(failure)
    for (const { reject } of waiting.values()) reject(failure)
    waiting.clear()
    channel.destroy()
  }
  const take = (packet: Buffer): void => {
    if (!isGreeted) {
      decodeSftpVersion(packet)
      isGreeted = true
      return greeted.resolve()
    }
    const answer = decodeSftpAnswer(packet)
    // An answer to nothing is not worth a connection: it is dropped.
    waiting.get(answer.id)?.resolve(answer)
    waiting.delete(answer.id)
  }
  const gone = (): void =>
    fail(
      isGreeted
        ? new SshError('connection-lost', 'The server ended the file transfer.')
        : new SshError('channel-refused', 'The server has no SFTP.'),
    )
  channel.on('data', (bytes: Buffer) => {
    try {
      for (const packet of packets.push(bytes)) take(packet)
    } catch (cause) {
      fail(
        new SshError('connection-lost', 'What the server sent is no SFTP; start-up files of the login must not print anything.', { cause }),
      )
    }
  })
  channel.on('error', fail)
  channel.once('end', gone)
  channel.once('close', gone)
  channel.stderr.resume()

  const timer = setTimeout(() => fail(new SshError('timed-out', 'The server does not answer to SFTP.')), greetingTimeout)
  channel.write(encodeSftpInit())
  try {
    await greeted.promise
  } finally {
    clearTimeout(timer)
  }

  const ask = (request: SftpRequest): Promise<SftpAnswer> =>
    new Promise((resolve, reject) => {
      if (failure) return reject(failure)
      lastId = (lastId + 1) >>> 0
      waiting.set(lastId, { resolve, reject })
      channel.write(encodeSftpRequest(lastId, request))
    })
  async function expect<K extends SftpAnswer['kind']>(kind: K, request: SftpRequest): Promise<Extract<SftpAnswer, { kind: K }>> {
    const answer = await ask(request)
    if (answer.kind === 'status' && answer.code !== sftpStatus.ok)
      throw new SftpError(answer.code, answer.message || `status ${answer.code}`)
    if (isKind(answer, kind)) return answer
    throw new SftpError(sftpStatus.badMessage, `the server answered ${request.kind} with ${answer.kind}`)
  }
  /** For requests to which "no more" is an answer. */
  const orEnd =
    <T>(end: T) =>
    (error: unknown): T => {
      if (error instanceof SftpError && error.code === sftpStatus.endOfFile) return end
      throw error
    }
  async function one(kind: 'realpath' | 'readlink', path: string): Promise<string> {
    const { entries } = await expect('name', { kind, path })
    if (!entries[0]) throw new SftpError(sftpStatus.badMessage, `the server named nothing for ${kind}`)
    return entries[0].name.toString('utf8')
  }
  const attributes = async (request: SftpRequest): Promise<SftpAttributes> => (await expect('attributes', request)).attributes
  const done = async (request: SftpRequest): Promise<void> => void (await expect('status', request))
  return {
    open: async (path, flags, mode) => (await expect('handle', { kind: 'open', path, flags, ...(mode !== undefined && { mode }) })).handle,
    close: (handle) => done({ kind: 'close', handle }),
    async read(handle, offset, length) {
      const { data } = await expect('data', { kind: 'read', handle, offset, length }).catch(orEnd({ data: Buffer.alloc(0) }))
      if (data.length > length) throw new SftpError(sftpStatus.badMessage, 'the server sent more than was asked for')
      return data
    },
    write: (handle, offset, data) => done({ kind: 'write', handle, offset, data }),
    fstat: (handle) => attributes({ kind: 'fstat', handle }),
    stat: (path) => attributes({ kind: 'stat', path }),
    lstat: (path) => attributes({ kind: 'lstat', path }),
    opendir: async (path) => (await expect('handle', { kind: 'opendir', path })).handle,
    async readdir(handle) {
      return (await expect('name', { kind: 'readdir', handle }).catch(orEnd({ entries: [] }))).entries
    },
    mkdir: (path) => done({ kind: 'mkdir', path }),
    remove: (path) => done({ kind: 'remove', path }),
    realpath: (path) => one('realpath', path),
    readlink: (path) => one('readlink', path),
    freeBytes: (path) =>
      expect('extended', { kind: 'statvfs', path }).then(
        ({ data }) => freeBytesOf(data),
        () => undefined, // not OpenSSH's: it is only asked to explain a failure better
      ),
  }
}

const isKind = <K extends SftpAnswer['kind']>(answer: SftpAnswer, kind: K): answer is Extract<SftpAnswer, { kind: K }> =>
  answer.kind === kind

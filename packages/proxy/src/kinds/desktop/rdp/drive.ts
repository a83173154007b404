/** A directory as a drive of the desktop: what is opened, read, written and listed there becomes calls to its files. */
import { encodeCompletion, encodeRefusal, statuses } from '@sallyport/protocols/rdp/devices.ts'
import type { DeviceRequest } from '@sallyport/protocols/rdp/devices.ts'
import { encodeEntry, encodeFileInformation, encodeVolume } from '@sallyport/protocols/rdp/file-information.ts'
import { u32 } from '@sallyport/protocols/rdp/bytes.ts'
import { sharedPieceLimit } from '@sallyport/wire/limits.ts'
import type { SharedFile } from '@sallyport/wire/sockets/shared-directory.ts'
import { compileGlob } from '../../../core/glob.ts'
import { FileRefusal, sharedPath } from '../shared-files.ts'
import type { SharedFiles } from '../shared-files.ts'

type Of<K extends DeviceRequest['kind']> = Extract<DeviceRequest, { kind: K }>

interface OpenFile {
  path: string
  /** As it was when it was opened, and changed through this drive. */
  facts: SharedFile
  isDeleted: boolean
  /** What is still to be listed. */
  listing?: { name: string; facts: SharedFile }[]
}

/** Status and body of an answer; a status alone tells nothing more. */
type Answer = [status: number, ...body: Uint8Array[]]

const openLimit = 4096
const waitingLimit = 256
/** Bytes that desktop and browser may have under way. */
const bytesLimit = 32 * 1024 * 1024
const readLimit = 4 * 1024 * 1024
const opened = { superseded: 0, opened: 1, created: 2, overwritten: 3 } as const
const refused = {
  failed: statuses.unsuccessful,
  missing: statuses.noSuchFile,
  exists: statuses.collision,
  timeout: statuses.timeout,
  cancelled: statuses.cancelled,
} as const

export class Drive {
  readonly #name: string
  readonly #files: SharedFiles
  readonly #send: (message: Buffer) => void
  readonly #open = new Map<number, OpenFile>()
  #lastFile = 0
  #waiting = 0
  #bytes = 0

  constructor(name: string, files: SharedFiles, send: (message: Buffer) => void) {
    this.#name = name
    this.#files = files
    this.#send = send
  }

  /** Answers, some time. Rejects only with what is a bug. */
  async take(request: DeviceRequest): Promise<void> {
    if (request.kind === 'notify') return
    const bytes = request.kind === 'read' ? request.length : request.kind === 'write' ? request.data.length : 0
    if (this.#waiting >= waitingLimit || this.#bytes + bytes > bytesLimit) return this.#send(encodeRefusal(request, statuses.noResources))
    this.#waiting += 1
    this.#bytes += bytes
    try {
      const [status, ...body] = await this.#run(request)
      this.#send(body.length > 0 ? encodeCompletion(request, status, ...body) : encodeRefusal(request, status))
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error
      this.#send(encodeRefusal(request, refused[error.code]))
    } finally {
      this.#waiting -= 1
      this.#bytes -= bytes
    }
  }

  #run(request: DeviceRequest): Promise<Answer> | Answer {
    if (request.kind === 'create') return this.#create(request)
    if (request.kind === 'queryVolume') return withLength(encodeVolume(this.#name, request.class))
    if (request.kind === 'control') return [statuses.success]
    const file = this.#open.get(request.file)
    if (!file) return [statuses.invalidHandle]
    switch (request.kind) {
      case 'close':
        return this.#close(request, file)
      case 'read':
        return this.#read(request, file)
      case 'write':
        return this.#write(request, file)
      case 'queryFile':
        return withLength(encodeFileInformation(file.facts, request.class, file.isDeleted))
      case 'queryDirectory':
        return this.#list(request, file)
      case 'setSize':
        return this.#resize(file, request.size)
      case 'setDeleted':
        return this.#markDeleted(file, request.isDeleted)
      case 'rename':
        return this.#rename(request, file)
      case 'setOther':
        return [statuses.success]
      default:
        return [statuses.notSupported]
    }
  }

  async #create(request: Of<'create'>): Promise<Answer> {
    const path = sharedPath(request.path)
    if (path === undefined) return [statuses.invalidName]
    if (this.#open.size >= openLimit) return [statuses.noResources]
    const { disposition, wants } = request
    let facts = await this.#files.info(path)
    let outcome: number = opened.opened
    if (!facts) {
      if (disposition === 'open' || disposition === 'overwrite') return [statuses.noSuchFile]
      facts = await this.#files.create(path, wants === 'directory')
      outcome = opened.created
    } else {
      if (disposition === 'create') return [statuses.collision]
      if (wants === 'directory' && !facts.isDirectory) return [statuses.notDirectory]
      if (wants === 'file' && facts.isDirectory) return [statuses.isDirectory]
      if (disposition !== 'open' && disposition !== 'openOrCreate') {
        if (facts.isDirectory) return [statuses.isDirectory]
        facts = await this.#empty(path)
        outcome = disposition === 'supersede' ? opened.superseded : opened.overwritten
      }
    }
    this.#lastFile += 1
    this.#open.set(this.#lastFile, { path, facts, isDeleted: request.deleteOnClose })
    return [statuses.success, u32(this.#lastFile), Buffer.from([outcome])]
  }

  /** There is no message that shortens a file. */
  async #empty(path: string): Promise<SharedFile> {
    await this.#files.delete(path)
    const facts = await this.#files.create(path, false)
    this.#changed(path, () => 0)
    return facts
  }

  async #close({ file }: Of<'close'>, { path, isDeleted }: OpenFile): Promise<Answer> {
    this.#open.delete(file)
    if (isDeleted) await this.#files.delete(path)
    return [statuses.success]
  }

  async #read({ offset, length }: Of<'read'>, { path, facts }: OpenFile): Promise<Answer> {
    if (facts.isDirectory || length > readLimit) return [statuses.invalidParameter]
    const pieces: Uint8Array[] = []
    let at = 0
    while (at < length) {
      const wanted = Math.min(sharedPieceLimit, length - at)
      const piece = await this.#files.read(path, offset + at, wanted)
      pieces.push(piece)
      at += piece.length
      if (piece.length < wanted) break
    }
    return [statuses.success, u32(at), ...pieces]
  }

  async #write({ offset, data }: Of<'write'>, { path, facts }: OpenFile): Promise<Answer> {
    if (facts.isDirectory) return [statuses.invalidParameter]
    for (let at = 0; at < data.length; at += sharedPieceLimit)
      await this.#files.write(path, offset + at, data.subarray(at, at + sharedPieceLimit))
    this.#changed(path, (size) => Math.max(size, offset + data.length))
    return [statuses.success, u32(data.length), Buffer.from([0])]
  }

  async #list(request: Of<'queryDirectory'>, file: OpenFile): Promise<Answer> {
    if (request.isFirst) {
      const found = await this.#files.list(file.path)
      const wanted = matcherOf(/[^\\/]*$/.exec(request.pattern)?.[0] ?? '')
      file.listing = found
        .map((facts) => ({ name: /[^/]*$/.exec(facts.path)?.[0] ?? '', facts }))
        .filter(({ name }) => name !== '' && wanted(name))
        .toReversed()
    }
    const next = file.listing?.pop()
    if (!next) return [request.isFirst ? statuses.noSuchFile : statuses.noMoreFiles]
    return withLength(encodeEntry(next.name, next.facts, request.class))
  }

  async #resize(file: OpenFile, size: number): Promise<Answer> {
    const { path, facts } = file
    if (size < facts.size && size > 0) return [statuses.notSupported]
    // What lies between is filled with zeros.
    if (size > facts.size) await this.#files.write(path, size - 1, Buffer.alloc(1))
    else if (size < facts.size) await this.#empty(path)
    this.#changed(path, () => size)
    return [statuses.success]
  }

  async #markDeleted(file: OpenFile, isDeleted: boolean): Promise<Answer> {
    // Said now, because nobody listens when it is closed.
    if (isDeleted && file.facts.isDirectory && (await this.#files.list(file.path)).length > 0) return [statuses.notEmpty]
    if (isDeleted && file.path === '') return [statuses.accessDenied]
    file.isDeleted = isDeleted
    return [statuses.success]
  }

  async #rename({ path: name, replaces }: Of<'rename'>, file: OpenFile): Promise<Answer> {
    const to = sharedPath(name)
    if (to === undefined || to === '') return [statuses.invalidName]
    const there = await this.#files.info(to)
    if (there && (!replaces || there.isDirectory)) return [statuses.collision]
    if (there) await this.#files.delete(to)
    await this.#files.move(file.path, to)
    file.path = to
    return [statuses.success]
  }

  #changed(path: string, size: (before: number) => number): void {
    for (const file of this.#open.values())
      if (file.path === path) file.facts = { ...file.facts, size: size(file.facts.size), modified: Date.now() }
  }
}

const withLength = (body: Buffer | undefined): Answer => (body ? [statuses.success, u32(body.length), body] : [statuses.notSupported])

/** The patterns that desktops list with: stars and question marks, each in two forms, and no difference between small and capital. */
function matcherOf(pattern: string): (name: string) => boolean {
  if (pattern === '' || pattern === '*.*') return () => true
  const plain = pattern
    .replaceAll(/[[\\]/g, String.raw`\$&`)
    .replaceAll('<', '*')
    .replaceAll(/[>"]/g, '?')
  const matches = compileGlob(plain.toLowerCase(), { hidden: true })
  return (name) => matches(name.toLowerCase())
}

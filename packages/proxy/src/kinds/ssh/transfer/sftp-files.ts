/** Files over SFTP: found, read and written with many requests under way, so that distance costs little. */
import type { Readable } from 'node:stream'
import { fileTypeOf, openFlags, sftpStatus } from '@sallyport/protocols/ssh/sftp.ts'
import type { SftpAttributes } from '@sallyport/protocols/ssh/sftp.ts'
import { type AppError, badParameter, notFound } from '../../../core/errors.ts'
import { SftpError } from '../sftp.ts'
import type { Sftp, SftpHandle } from '../sftp.ts'
import { compileGlob, hasWildcard } from '../../../core/glob.ts'
import { fromHome, joinPath, leadsElsewhere } from './remote-path.ts'
import { createdMode, directoryRefusal, failed, manyMatches, nameTaken, noMatch, notRegular } from './remote-file.ts'
import type { RemoteSource, RemoteTarget, TargetRequest } from './remote-file.ts'

/** What every server takes in one request. */
const pieceSize = 32 * 1024
/** Requests under way: so much waits in memory at most for whoever reads slowly, 2 MB in all. */
const depth = 64
/** Names that a pattern is tried on, in all directories together. */
const globLimit = 100_000

const ifMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof SftpError && error.code === sftpStatus.noSuchFile) return value
    throw error
  }
/** Servers that do not tell the type are believed to have named a file. */
const isRegular = (attributes: SftpAttributes): boolean => attributes.mode === undefined || fileTypeOf(attributes) === 'file'

function requireRegular(attributes: SftpAttributes, path: string): void {
  if (fileTypeOf(attributes) === 'directory') throw directoryRefusal(path)
  if (!isRegular(attributes)) throw notRegular(path)
}

/** The path that a location names: as it stands, or the one that its wildcards match. Throws AppError. */
export async function findPath(sftp: Sftp, location: string): Promise<{ path: string; attributes: SftpAttributes }> {
  const asked = fromHome(location)
  const attributes = await sftp.stat(asked).catch(ifMissing(undefined))
  if (attributes) return { path: asked, attributes }
  if (!hasWildcard(asked)) throw notFound(`"${location}" does not exist on the server`)
  const matches = await expand(sftp, asked)
  if (matches.length > 1) throw manyMatches(location, matches.length)
  const [path] = matches
  const found = path === undefined ? undefined : await sftp.stat(path).catch(ifMissing(undefined))
  if (path === undefined || !found) throw noMatch(location)
  return { path, attributes: found }
}

/** What a pattern matches, directory by directory. */
async function expand(sftp: Sftp, pattern: string): Promise<string[]> {
  let seen = 0
  async function* namesIn(directory: string): AsyncGenerator<string> {
    for await (const { name } of entriesOf(sftp, directory)) {
      if ((seen += 1) > globLimit) throw badParameter(`"${pattern}" would search more than ${globLimit} names; be more precise`)
      yield name
    }
  }
  const [first = '', ...parts] = pattern.split('/')
  let found = [first]
  for (const part of parts) {
    if (!hasWildcard(part)) {
      found = found.map((path) => `${path}/${part}`)
      continue
    }
    const matches = compileGlob(part)
    const next: string[] = []
    for (const path of found) for await (const name of namesIn(path === '' ? '/' : path)) if (matches(name)) next.push(`${path}/${name}`)
    found = next
  }
  return found
}

export interface DirectoryEntry {
  readonly name: string
  readonly attributes: SftpAttributes
}

/**
 * What is in a directory; nothing where the path is none or cannot be read. Names with which a server would lead out of it, and
 * those that are no text and so cannot be asked for, are left out.
 */
export async function* entriesOf(sftp: Sftp, directory: string): AsyncGenerator<DirectoryEntry> {
  const handle = await sftp.opendir(directory).catch((error: unknown) => {
    if (error instanceof SftpError) return undefined
    throw error
  })
  if (!handle) return
  try {
    for (let entries = await sftp.readdir(handle); entries.length > 0; entries = await sftp.readdir(handle))
      for (const { name: bytes, attributes } of entries) {
        const name = bytes.toString('utf8')
        if (!leadsElsewhere(name) && Buffer.from(name).equals(bytes)) yield { name, attributes }
      }
  } finally {
    await closeQuietly(sftp, handle)
  }
}

/** A handle that was only read loses nothing when it cannot be closed: it goes with the connection. */
const closeQuietly = (sftp: Sftp, handle: SftpHandle): Promise<void> => sftp.close(handle).catch(() => undefined)

/** The one regular file that a location names. Throws AppError, SftpError, SshError. */
export async function openSftpSource(sftp: Sftp, location: string): Promise<RemoteSource> {
  const { path, attributes } = await findPath(sftp, location)
  requireRegular(attributes, location)
  return openFile(sftp, path)
}

/** Opens a file of which it is known that it is a regular one: opening a pipe could take for ever. */
export async function openFile(sftp: Sftp, path: string): Promise<RemoteSource> {
  const handle = await sftp.open(path, openFlags.read)
  try {
    const attributes = await sftp.fstat(handle)
    requireRegular(attributes, path)
    return {
      path: await sftp.realpath(path).catch(() => path),
      size: attributes.size ?? 0,
      modified: attributes.modified,
      canSeek: true,
      read: (start, end) => readRange(sftp, { handle, path }, start, end),
      close: () => closeQuietly(sftp, handle),
    }
  } catch (error) {
    await closeQuietly(sftp, handle)
    throw error
  }
}

interface OpenFile {
  readonly handle: SftpHandle
  readonly path: string
}

async function* readRange(sftp: Sftp, file: OpenFile, start: number, end: number): AsyncGenerator<Buffer> {
  const underWay: Promise<Buffer>[] = []
  for (let next = start; next < end || underWay.length > 0;) {
    while (next < end && underWay.length < depth) {
      const piece = readPiece(sftp, file, next, Math.min(pieceSize, end - next))
      piece.catch(() => undefined) // told when it is its turn
      underWay.push(piece)
      next += pieceSize
    }
    const piece = await underWay.shift()
    if (piece) yield piece
  }
}

/** Exactly `length` bytes: servers may give fewer at a time. */
async function readPiece(sftp: Sftp, { handle, path }: OpenFile, offset: number, length: number): Promise<Buffer> {
  const parts: Buffer[] = []
  for (let missing = length; missing > 0;) {
    const part = await sftp.read(handle, offset + length - missing, missing)
    if (part.length === 0) throw failed(path, 'the file became shorter while it was read')
    if (part.length === length) return part
    parts.push(part)
    missing -= part.length
  }
  return Buffer.concat(parts)
}

/** Throws AppError, SftpError, SshError. */
export async function openSftpTarget(sftp: Sftp, request: TargetRequest): Promise<RemoteTarget> {
  const { location, filename, overwrite } = request
  const asked = fromHome(location)
  if (request.createFolders) await makeFolders(sftp, asked)
  const there = await sftp.stat(asked).catch(ifMissing(undefined))
  if (!there && location.endsWith('/')) throw notFound(`the folder "${location}" does not exist on the server`)
  const isFolder = location.endsWith('/') || (there !== undefined && fileTypeOf(there) === 'directory')
  const path = isFolder ? joinPath(asked, filename) : asked
  const { handle, isNew } = await create(sftp, path, overwrite)
  return {
    path: await sftp.realpath(path).catch(() => path),
    async write(bytes) {
      try {
        const size = await writeAll(sftp, handle, bytes)
        await sftp.close(handle)
        return size
      } catch (error) {
        throw await explained(sftp, path, error)
      }
    },
    async discard() {
      await closeQuietly(sftp, handle)
      if (isNew) await sftp.remove(path).catch(() => undefined) // the connection may be what failed
    },
  }
}

/**
 * The name itself is written, as scp does it: what is there keeps its owner, mode and links, and a directory in which one may
 * not create files is no obstacle. Only a file that is new is ours to remove.
 */
async function create(sftp: Sftp, path: string, overwrite: boolean): Promise<{ handle: SftpHandle; isNew: boolean }> {
  const { write, create: make, exclusive, truncate } = openFlags
  try {
    return { handle: await sftp.open(path, write | make | exclusive, createdMode), isNew: true }
  } catch (error) {
    const there = await sftp.stat(path).catch(ifMissing(undefined))
    if (!there) throw error instanceof SftpError && error.code === sftpStatus.noSuchFile ? noFolder(path) : error
    requireRegular(there, path)
    if (!overwrite) throw nameTaken(path)
    return { handle: await sftp.open(path, write | make | truncate, createdMode), isNew: false }
  }
}
const noFolder = (path: string): AppError => notFound(`the folder of "${path}" does not exist on the server`)

async function makeFolders(sftp: Sftp, path: string): Promise<void> {
  const parts = path.split('/')
  for (let count = 1; count <= parts.length; count += 1) {
    const folder = parts.slice(0, count).join('/')
    if (folder === '' || folder === '.' || (await sftp.stat(folder).catch(ifMissing(undefined)))) continue
    try {
      await sftp.mkdir(folder)
    } catch (error) {
      // Another transfer of the same folder may have made it just now.
      if (!(await sftp.stat(folder).catch(ifMissing(undefined)))) throw error
    }
  }
}

async function writeAll(sftp: Sftp, handle: SftpHandle, bytes: Readable): Promise<number> {
  const underWay: Promise<void>[] = []
  let offset = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>)
    for (let at = 0; at < chunk.length; at += pieceSize) {
      const piece = chunk.subarray(at, at + pieceSize)
      const written = sftp.write(handle, offset, piece)
      // What comes after a failure is not waited for: a slow sender would learn of it late.
      written.catch((error: Error) => bytes.destroy(error))
      underWay.push(written)
      offset += piece.length
      if (underWay.length >= depth) await underWay.shift()
    }
  await Promise.all(underWay)
  return offset
}

/** "Failure" is all that servers say of a full disk, so it is looked at. */
async function explained(sftp: Sftp, path: string, error: unknown): Promise<unknown> {
  if (!(error instanceof SftpError) || error.code !== sftpStatus.failure) return error
  const free = await sftp.freeBytes(path)
  return free !== undefined && free < pieceSize ? failed(path, 'no space is left on the device', { cause: error }) : error
}

/** A directory of this machine that a desktop may use: what is asked of it, done with the browser's file handles. */
import type { FileAnswer, FileRequest, SharedFile } from '@sallyport/wire/sockets/shared-directory.ts'
import { OpenWriters } from './open-writers.ts'

type Handle = FileSystemFileHandle | FileSystemDirectoryHandle
/** Of what browsers offer, and their types do not tell. */
type Movable = { move?: (parent: FileSystemDirectoryHandle, name: string) => Promise<void> }

/** Entries of a directory that are told; more make one that cannot be listed. */
const listLimit = 50_000
/** Files that are looked at at the same time. */
const atOnce = 64

class Refusal extends Error {
  readonly error: FileAnswer['error']

  constructor(error: FileAnswer['error']) {
    super(error)
    this.error = error
  }
}

export class SharedFolder {
  readonly name: string
  readonly #root: FileSystemDirectoryHandle
  readonly #writers: OpenWriters
  #isOver = false

  /** `onTrouble`: what was written could not be kept, in words. */
  constructor(root: FileSystemDirectoryHandle, onTrouble: (text: string) => void) {
    this.name = root.name
    this.#root = root
    this.#writers = new OpenWriters((path) => onTrouble(`${path} could not be saved in ${root.name}.`))
  }

  /** Never rejects: what cannot be done is answered. */
  async answer(request: FileRequest): Promise<FileAnswer> {
    const { verb, completion } = request
    try {
      if (this.#isOver) throw new Refusal('failed')
      return { verb, completion, error: 'none', ...(await this.#act(request)) }
    } catch (error) {
      return { verb, completion, error: errorOf(error) }
    }
  }

  /** What is written already is kept. */
  close(): void {
    this.#isOver = true
    void this.#writers.settle('')
  }

  async #act(request: FileRequest): Promise<Partial<FileAnswer>> {
    const { path } = request
    if (request.verb === 'write') {
      await this.#writers.write(path, () => this.#file(path), request.offset, request.data)
      return { written: request.data.length }
    }
    await this.#writers.settle(path)
    switch (request.verb) {
      case 'info':
        return { file: await fileAt(path, await this.#handle(path)) }
      case 'list':
        return { files: await this.#list(path) }
      case 'create':
        return { file: await this.#create(path, request.isDirectory) }
      case 'delete':
        await (await this.#parent(path)).removeEntry(nameOf(path))
        return {}
      case 'read': {
        const file = await (await this.#file(path)).getFile()
        return { data: new Uint8Array(await file.slice(request.offset, request.offset + request.length).arrayBuffer()) }
      }
      case 'move':
        await this.#move(path, request.to)
        return {}
    }
  }

  async #list(path: string): Promise<SharedFile[]> {
    const directory = await this.#directory(path)
    const handles: Handle[] = []
    for await (const handle of directory.values()) {
      if (handles.length >= listLimit) throw new Refusal('failed')
      handles.push(handle)
    }
    const files: SharedFile[] = []
    for (let at = 0; at < handles.length; at += atOnce) {
      const some = handles.slice(at, at + atOnce)
      // One that has gone meanwhile, or may not be read, is left out.
      const looked = await Promise.allSettled(some.map((handle) => fileAt(path === '' ? handle.name : `${path}/${handle.name}`, handle)))
      files.push(...looked.flatMap((file) => (file.status === 'fulfilled' ? [file.value] : [])))
    }
    return files
  }

  async #create(path: string, isDirectory: boolean): Promise<SharedFile> {
    const there = await this.#handle(path).catch((error: unknown) => {
      if (errorOf(error) === 'missing') return undefined
      throw error
    })
    if (there) throw new Refusal('exists')
    const parent = await this.#parent(path)
    const options = { create: true }
    return fileAt(
      path,
      isDirectory ? await parent.getDirectoryHandle(nameOf(path), options) : await parent.getFileHandle(nameOf(path), options),
    )
  }

  async #move(path: string, to: string): Promise<void> {
    const handle = await this.#handle(path)
    const parent = await this.#parent(to)
    const { move } = handle as Movable
    if (move) {
      const moved = await move.call(handle, parent, nameOf(to)).then(
        () => true,
        () => false,
      )
      if (moved) return
    }
    if (handle.kind === 'directory') throw new Refusal('failed')
    const copy = await (await parent.getFileHandle(nameOf(to), { create: true })).createWritable()
    await (await handle.getFile()).stream().pipeTo(copy)
    await (await this.#parent(path)).removeEntry(nameOf(path))
  }

  async #handle(path: string): Promise<Handle> {
    if (path === '') return this.#root
    const parent = await this.#parent(path)
    try {
      return await parent.getFileHandle(nameOf(path))
    } catch (error) {
      if (error instanceof DOMException && error.name === 'TypeMismatchError') return await parent.getDirectoryHandle(nameOf(path))
      throw error
    }
  }

  async #file(path: string): Promise<FileSystemFileHandle> {
    const handle = await this.#handle(path)
    if (handle.kind !== 'file') throw new Refusal('failed')
    return handle
  }

  /** Never leaves the directory: browsers refuse names that would, and so do we. */
  async #directory(path: string): Promise<FileSystemDirectoryHandle> {
    let directory = this.#root
    for (const name of path === '' ? [] : path.split('/')) {
      if (name === '' || name === '.' || name === '..') throw new Refusal('failed')
      directory = await directory.getDirectoryHandle(name)
    }
    return directory
  }

  #parent(path: string): Promise<FileSystemDirectoryHandle> {
    const name = nameOf(path)
    if (name === '' || name === '.' || name === '..') return Promise.reject(new Refusal('failed'))
    return this.#directory(path.slice(0, Math.max(0, path.length - name.length - 1)))
  }
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

async function fileAt(path: string, handle: Handle): Promise<SharedFile> {
  if (handle.kind === 'directory') {
    const first = await handle.values().next()
    return { path, isDirectory: true, size: 0, modified: 0, isEmpty: first.done === true }
  }
  const { size, lastModified } = await handle.getFile()
  return { path, isDirectory: false, size, modified: lastModified, isEmpty: false }
}

function errorOf(error: unknown): FileAnswer['error'] {
  if (error instanceof Refusal) return error.error
  return error instanceof DOMException && error.name === 'NotFoundError' ? 'missing' : 'failed'
}

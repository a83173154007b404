import type { FileClient, FileRun } from '../../../api/file-client.ts'
import type { Part } from '../../../api/partial-file.ts'
import { createStore, type Store } from '../../../ui/store.ts'
import { asFolder, isActive, otherName, type TransferItem, type TransferPlace } from './transfer-item.ts'

/** What the queue needs from the rest of the app. */
export interface TransferHost {
  readonly files: FileClient
  /** The viewer's proof that a place asks for, as the proxy wants it; undefined where it asks for none. */
  readonly prove: (place: TransferPlace) => Promise<string | undefined>
  /** Asks the moderators of a session. Resolves with the id of the approved request. */
  readonly ask: (sid: string, wish: TransferWish, signal: AbortSignal) => Promise<string>
  /** Hands a file to the viewer. */
  readonly save: (name: string, body: Blob) => void
  /** Whether this failure means that the name is taken. */
  readonly isTaken: (error: unknown) => boolean
  /** What an error tells the viewer; undefined for one that the viewer made. */
  readonly explain: (error: unknown) => string | undefined
  readonly now: () => number
}

/** What moderators are asked for. */
export interface TransferWish {
  readonly download: boolean
  readonly location: string
  /** Of an upload; empty for a download. */
  readonly filename: string
}

/** A file that the viewer chose, and where it lay below the folder that was chosen: empty, or `a/b/`. */
export interface ChosenFile {
  readonly file: File
  readonly folder: string
}

export type TransferView = 'closed' | 'pill' | 'download' | 'upload'

export interface TransferQueueState {
  readonly view: TransferView
  /** The folder on the server that uploads go to. */
  readonly destination: string
  /** Files that were dropped while the dialog was closed: the viewer has not said yet where to. */
  readonly offered: readonly ChosenFile[]
  readonly items: readonly TransferItem[]
}

/** Files under way at once; the others wait. */
const atOnce = 3

type Approval = { moderatedSessionId: string; fileTransferRequestId: string } | Record<never, never>

interface Work {
  readonly file?: File
  overwrite: boolean
  readonly createFolders: boolean
  /** What came of a download that broke off. */
  part?: Part | undefined
  /** Names an upload to the proxy, which may keep what came of it. */
  uploadId: string
  /** Bytes of an upload that were sent when it broke off. */
  sent?: number
  controller?: AbortController
}

const keptOf = (work: Work | undefined): number => work?.part?.body.size ?? work?.sent ?? 0

function beginAnew(work: Work): void {
  work.part = undefined
  work.sent = 0
  work.uploadId = crypto.randomUUID()
}

/** The files of this page on their way to and from servers. Lives outside React: leaving the console's screen stops nothing. */
export class TransferQueue {
  readonly store: Store<TransferQueueState> = createStore<TransferQueueState>({ view: 'closed', destination: '~/', offered: [], items: [] })
  readonly #host: TransferHost
  readonly #work = new Map<number, Work>()
  #running = 0
  #nextId = 1
  /** A browser asks for one key at a time. */
  #proving: Promise<unknown> = Promise.resolve()
  /** A session has one request at a time, and a new one voids an approval that was not used yet. */
  #asking: Promise<unknown> = Promise.resolve()

  constructor(host: TransferHost) {
    this.#host = host
  }

  show(view: TransferView): void {
    this.store.set((now) => ({ ...now, view, offered: [] }))
  }

  aim(destination: string): void {
    this.store.set((now) => ({ ...now, destination }))
  }

  /** Files that came from outside: they are sent where the dialog shows a destination, and else wait for one. */
  drop(place: TransferPlace, files: readonly ChosenFile[]): void {
    const { view, destination } = this.store.get()
    if (view === 'upload' && destination.trim() !== '') this.upload(place, files)
    else this.store.set((now) => ({ ...now, view: 'upload', offered: files }))
  }

  isActive(): boolean {
    return this.store.get().items.some(isActive)
  }

  download(place: TransferPlace, location: string): void {
    this.#add({ place, direction: 'download', location, name: location, total: undefined }, { overwrite: true, createFolders: false })
  }

  /** To the destination that is set. */
  upload(place: TransferPlace, files: readonly ChosenFile[]): void {
    const { destination } = this.store.get()
    this.store.set((now) => ({ ...now, offered: [] }))
    for (const { file, folder } of files)
      this.#add(
        { place, direction: 'upload', location: asFolder(destination) + folder, name: file.name, total: file.size },
        { file, overwrite: false, createFolders: folder !== '' },
      )
  }

  cancel(id: number): void {
    const work = this.#work.get(id)
    if (work) beginAnew(work)
    this.#update(id, { state: 'cancelled', kept: 0 })
    work?.controller?.abort(new DOMException('cancelled', 'AbortError'))
    this.#pump()
  }

  cancelAll(): void {
    for (const item of this.store.get().items) if (isActive(item)) this.cancel(item.id)
  }

  /** After a failure or a cancellation: goes on where it broke off, else begins anew; a folder comes as one file then. */
  retry(id: number): void {
    this.#update(id, { state: 'waiting', loaded: keptOf(this.#work.get(id)), error: undefined })
    this.#pump()
  }

  /** The answer to a name that is taken. */
  settle(id: number, how: 'overwrite' | 'keep-both'): void {
    const work = this.#work.get(id)
    const item = this.#item(id)
    if (!work || !item) return
    beginAnew(work)
    if (how === 'overwrite') work.overwrite = true
    else this.#update(id, { name: otherName(item.name) })
    this.retry(id)
  }

  /** Takes what has come to an end off the list. */
  clear(): void {
    this.store.set((now) => ({ ...now, items: now.items.filter(isActive) }))
    for (const id of this.#work.keys()) if (!this.#item(id)) this.#work.delete(id)
  }

  #add(what: Pick<TransferItem, 'place' | 'direction' | 'location' | 'name' | 'total'>, work: Omit<Work, 'uploadId'>): void {
    const id = this.#nextId
    this.#nextId += 1
    this.#work.set(id, { ...work, uploadId: crypto.randomUUID() })
    const item: TransferItem = {
      ...what,
      id,
      state: 'waiting',
      loaded: 0,
      since: undefined,
      speed: 0,
      error: undefined,
      isFolder: false,
      kept: 0,
    }
    this.store.set((now) => ({ ...now, items: [...now.items, item] }))
    this.#pump()
  }

  #item(id: number): TransferItem | undefined {
    return this.store.get().items.find((item) => item.id === id)
  }

  #update(id: number, change: Partial<TransferItem>): void {
    this.store.set((now) => ({ ...now, items: now.items.map((item) => (item.id === id ? { ...item, ...change } : item)) }))
  }

  #pump(): void {
    while (this.#running < atOnce) {
      const next = this.store.get().items.find(({ state }) => state === 'waiting')
      const work = next && this.#work.get(next.id)
      if (!next || !work) return
      this.#running += 1
      const controller = new AbortController()
      work.controller = controller
      this.#update(next.id, { state: 'proving', since: undefined, speed: 0 })
      void this.#run(next.id, work, controller.signal).finally(() => {
        this.#running -= 1
        this.#pump()
      })
    }
  }

  async #run(id: number, work: Work, signal: AbortSignal): Promise<void> {
    try {
      const item = this.#item(id)
      if (!item) return
      const { moderatedSid } = item.place
      if (moderatedSid === undefined) await this.#transfer(item, work, {}, signal)
      else await this.#inTurn(() => this.#moderated(item, work, moderatedSid, signal))
      if (!signal.aborted) this.#update(id, { state: 'done' })
    } catch (error) {
      if (!signal.aborted) this.#fail(id, work, error)
    }
  }

  #inTurn(task: () => Promise<void>): Promise<void> {
    const turn = this.#asking.then(task)
    this.#asking = turn.catch(() => undefined)
    return turn
  }

  async #moderated(item: TransferItem, work: Work, sid: string, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    this.#update(item.id, { state: 'asking' })
    const { direction, location, name } = item
    const wish = { download: direction === 'download', location, filename: direction === 'download' ? '' : name }
    const fileTransferRequestId = await this.#host.ask(sid, wish, signal)
    await this.#transfer(item, work, { moderatedSessionId: sid, fileTransferRequestId }, signal)
  }

  async #transfer(item: TransferItem, work: Work, approval: Approval, signal: AbortSignal): Promise<void> {
    const webauthn = await this.#prove(item.place, signal)
    if (signal.aborted) return
    this.#update(item.id, { state: 'running', since: this.#host.now() })
    const leave = { ...approval, ...(webauthn !== undefined && { webauthn }) }
    await this.#copy(item, work, leave, { signal, onProgress: (loaded, total) => this.#progress(item.id, loaded, total) })
  }

  async #copy(item: TransferItem, work: Work, leave: Approval & { webauthn?: string }, run: FileRun): Promise<void> {
    const { place, location, name, isFolder } = item
    const { clusterId, serverId, login } = place
    const at = { clusterId, serverId, login }
    const common = { location, ...leave }
    if (work.file) {
      const overwrite = work.overwrite ? 'true' : 'false'
      const createFolders = work.createFolders ? 'true' : 'false'
      const { uploadId, sent = 0 } = work
      const more = { again: sent > 0, keep: (bytes: number) => (work.sent = bytes) }
      await this.#host.files.upload(at, { ...common, filename: name, overwrite, createFolders, uploadId }, work.file, run, more)
      return
    }
    const { name: given, body } = await this.#host.files.download(
      at,
      { ...common, filename: location, ...(isFolder && { archive: 'tar' }) },
      run,
      { part: work.part, keep: (part) => (work.part = part) },
    )
    if (run.signal.aborted) return
    work.part = undefined
    this.#update(item.id, { name: given, loaded: body.size, total: body.size })
    this.#host.save(given, body)
  }

  #prove(place: TransferPlace, signal: AbortSignal): Promise<string | undefined> {
    const proof = this.#proving.then(() => (signal.aborted ? undefined : this.#host.prove(place)))
    this.#proving = proof.catch(() => undefined)
    return proof
  }

  #progress(id: number, loaded: number, total: number | undefined): void {
    const item = this.#item(id)
    if (item?.state !== 'running') return
    const seconds = (this.#host.now() - (item.since ?? 0)) / 1000
    this.#update(id, { loaded, total: item.total ?? total, speed: seconds > 0 ? Math.max(0, loaded - item.kept) / seconds : 0 })
  }

  #fail(id: number, work: Work, error: unknown): void {
    const item = this.#item(id)
    if (!item) return
    if (work.file && !work.overwrite && this.#host.isTaken(error)) return this.#update(id, { state: 'conflict', loaded: 0 })
    const text = this.#host.explain(error)
    if (text === undefined) return this.#update(id, { state: 'cancelled' })
    const isFolder = item.direction === 'download' && /is a directory/.test(text)
    this.#update(id, { state: 'failed', error: text, isFolder, kept: keptOf(work) })
  }
}

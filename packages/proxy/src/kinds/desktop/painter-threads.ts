/**
 * Threads that draw desktops, so that a film on one of them stalls nothing else: neither terminals, nor calls, nor the
 * threads that Node writes files with. They start with the first desktop.
 */
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Painted, Painter, Painters, PaintJob } from './painter.ts'

/** Bytes of updates that a thread may be behind, for each desktop. */
const behind = 2 * 1024 * 1024
const most = Math.max(1, Math.min(4, availableParallelism() - 1))

export function createPainters(): Painters {
  const threads: PainterThread[] = []
  let next = 0
  return {
    open() {
      next += 1
      const alive = threads.filter((thread) => !thread.isOver)
      const idlest = alive.toSorted((a, b) => a.screens - b.screens)[0]
      if (idlest && (idlest.screens === 0 || alive.length >= most)) return idlest.open(next)
      const thread = new PainterThread()
      threads.splice(0, threads.length, ...alive, thread)
      return thread.open(next)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(threads.map((thread) => thread[Symbol.asyncDispose]()))
    },
  }
}

class PainterThread implements AsyncDisposable {
  readonly #worker = new Worker(new URL('painter-worker.ts', import.meta.url))
  readonly #waiting = new Map<number, PromiseWithResolvers<Uint8Array[]>>()
  #next = 0
  screens = 0
  isOver = false
  #isEnding = false

  constructor() {
    // A proxy that has nothing else to do may end.
    this.#worker.unref()
    this.#worker.on('message', (painted: Painted) => {
      const asked = this.#waiting.get(painted.id)
      this.#waiting.delete(painted.id)
      if ('messages' in painted) asked?.resolve(painted.messages)
      else asked?.reject(painted.code === undefined ? new Error(painted.error) : new ProtocolError(painted.code, painted.error))
    })
    this.#worker.on('error', (cause: unknown) => this.#end(new Error('The thread that draws desktops died.', { cause })))
    this.#worker.on('exit', () => this.#end(new Error('The thread that draws desktops has ended.')))
  }

  open(screen: number): Painter {
    this.screens += 1
    return new ThreadPainter(screen, {
      tell: (job) => this.#worker.postMessage(job, []),
      ask: (make, moved) => this.#ask(make, moved),
      close: () => {
        this.screens -= 1
        if (this.#isEnding && this.screens === 0) void this.#worker.terminate()
      },
    })
  }

  #ask(make: (id: number) => PaintJob, moved: ArrayBuffer[] = []): Promise<Uint8Array[]> {
    if (this.isOver) return Promise.reject(new Error('The thread that draws desktops has ended.'))
    this.#next += 1
    const asked = Promise.withResolvers<Uint8Array[]>()
    this.#waiting.set(this.#next, asked)
    this.#worker.postMessage(make(this.#next), moved)
    return asked.promise
  }

  #end(reason: Error): void {
    this.isOver = true
    for (const { reject } of this.#waiting.values()) reject(reason)
    this.#waiting.clear()
  }

  /** What is still drawn there is drawn to its end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnding = true
    if (this.screens === 0) await this.#worker.terminate()
  }
}

interface Thread {
  tell: (job: PaintJob) => void
  ask: (make: (id: number) => PaintJob, moved?: ArrayBuffer[]) => Promise<Uint8Array[]>
  close: () => void
}

class ThreadPainter implements Painter {
  readonly #screen: number
  readonly #thread: Thread
  /** What comes while the thread draws goes to it at once, in one message. */
  #queued: Buffer[] = []
  #isDrawing = false
  #behind = 0
  #failure: unknown
  #isClosed = false
  #onRoom: (() => void) | undefined

  constructor(screen: number, thread: Thread) {
    this.#screen = screen
    this.#thread = thread
  }

  size(width: number, height: number): void {
    this.#thread.tell({ kind: 'size', screen: this.#screen, width, height })
  }

  async draw(parts: readonly Buffer[]): Promise<void> {
    if (this.#failure === undefined) {
      this.#queued.push(...parts)
      this.#behind += parts.reduce((sum, { length }) => sum + length, 0)
      if (!this.#isDrawing) this.#post()
    }
    if (this.#behind > behind) await new Promise<void>((resolve) => (this.#onRoom = resolve))
    if (this.#failure !== undefined) throw this.#failure
  }

  take(): Promise<Uint8Array[]> {
    this.#post()
    return this.#thread.ask((id) => ({ kind: 'take', screen: this.#screen, id }))
  }

  whole(): Promise<Uint8Array[]> {
    return this.#thread.ask((id) => ({ kind: 'whole', screen: this.#screen, id }))
  }

  #post(): void {
    const parts = this.#queued
    if (parts.length === 0) return
    this.#queued = []
    this.#isDrawing = true
    const lengths = parts.map(({ length }) => length)
    const updates = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
    let at = 0
    for (const part of parts) {
      updates.set(part, at)
      at += part.length
    }
    const size = updates.length
    this.#thread
      .ask((id) => ({ kind: 'draw', screen: this.#screen, id, updates, lengths }), [updates.buffer])
      .catch((error: unknown) => (this.#failure ??= error))
      .finally(() => {
        this.#behind -= size
        this.#isDrawing = false
        if (this.#failure === undefined) this.#post()
        if (this.#behind > behind && this.#failure === undefined) return
        this.#onRoom?.()
        this.#onRoom = undefined
      })
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#thread.tell({ kind: 'close', screen: this.#screen })
    this.#thread.close()
  }
}

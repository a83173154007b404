/** A conversation, without React: its history, its socket, and what is being said. */
import { callPath } from '@sallyport/wire/call.ts'
import { messages as messagesCall } from '@sallyport/wire/calls/assistant.ts'
import { commandPayload, messageTypes, messageWire, partialPayload, progressPayload } from '@sallyport/wire/entities/assistant.ts'
import type { MessageWire } from '@sallyport/wire/entities/assistant.ts'
import { chatSocketPath } from '@sallyport/wire/sockets/assistant.ts'
import type { CommandParams } from '@sallyport/wire/sockets/command.ts'
import { request, session } from '../../api/page.ts'
import { createStore } from '../../ui/store.ts'
import { CommandRun, executeAddress } from './command-run.ts'
import { dateOf, readPayload, toEntries } from './entries.ts'
import type { Entry, NewEntry } from './entries.ts'

export interface ChatState {
  /** `lost`: the socket is gone, and coming back failed. */
  phase: 'loading' | 'failed' | 'ready' | 'answering' | 'lost'
  /** Why the history could not be read. */
  error: Error | undefined
  entries: readonly Entry[]
  /** What the answer says so far. */
  partial: string
  /** What the assistant does meanwhile. */
  progress: string
}

const normalClosure = 1000
const comesBackAfter = 1000

export class Chat {
  readonly state = createStore<ChatState>({ phase: 'loading', error: undefined, entries: [], partial: '', progress: '' })
  readonly conversation: string
  readonly #cluster: string
  #socket: WebSocket | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false
  #waiting: string | undefined
  #runs = new Set<CommandRun>()

  constructor(cluster: string, conversation: string) {
    this.#cluster = cluster
    this.conversation = conversation
  }

  /** Reads the history, then opens the socket. `question` is asked as soon as that is possible. */
  async open(question?: string): Promise<void> {
    this.#isClosed = false
    this.#waiting = question
    this.state.set((now) => ({ ...now, phase: 'loading', error: undefined }))
    try {
      const { messages } = await request(messagesCall, { params: { conversationId: this.conversation }, query: { all: 'yes' } })
      if (this.#isClosed) return
      this.state.set((now) => ({ ...now, entries: toEntries(messages) }))
      this.#connect()
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause))
      this.state.set((now) => ({ ...now, phase: 'failed', error }))
    }
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#leave()
    for (const run of this.#runs) run.stop()
  }

  ask(text: string): void {
    this.#add({ kind: 'user', text })
    this.state.set((now) => ({ ...now, phase: 'answering', partial: '', progress: '' }))
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ payload: text }))
    else {
      this.#waiting = text
      if (this.#socket?.readyState !== WebSocket.CONNECTING) this.#connect()
    }
  }

  /** The answer is given up; what came of it stays. */
  stop(): void {
    this.#leave()
    this.#finish()
    this.#connect()
  }

  /** After the connection was lost. */
  retry(): void {
    if (this.state.get().phase === 'failed') void this.open(this.#waiting)
    else this.#connect()
  }

  run(params: Omit<CommandParams, 'conversation_id' | 'execution_id'>): void {
    const all = { ...params, conversation_id: this.conversation, execution_id: crypto.randomUUID() }
    const socket = new WebSocket(executeAddress(window.location.origin, this.#cluster, all, session.bearer() ?? ''))
    socket.binaryType = 'arraybuffer'
    const run: CommandRun = new CommandRun(all, socket, () => this.#runs.delete(run))
    this.#runs.add(run)
    this.#add({ kind: 'run', run })
  }

  #askWaiting(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) return
    if (this.state.get().phase === 'answering') this.#socket?.send(JSON.stringify({ payload: waiting }))
    else this.ask(waiting)
  }

  #leave(): void {
    const socket = this.#socket
    this.#socket = undefined
    socket?.close(normalClosure)
  }

  #connect(isSecondTry = false): void {
    const url = new URL(callPath(chatSocketPath, { clusterId: this.#cluster }), window.location.origin.replace(/^http/, 'ws'))
    url.search = new URLSearchParams({ access_token: session.bearer() ?? '', conversation_id: this.conversation }).toString()
    const socket = new WebSocket(url)
    this.#socket = socket
    let isOpen = false
    socket.addEventListener('open', () => {
      if (socket !== this.#socket) return
      isOpen = true
      // A new conversation begins with a greeting; what is asked comes behind it.
      if (this.#waiting === undefined) this.state.set((now) => ({ ...now, phase: 'ready' }))
      else if (this.state.get().entries.length > 0) this.#askWaiting()
    })
    socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (socket !== this.#socket) return
      const message = readPayload(messageWire, typeof data === 'string' ? data : '')
      if (message) this.#take(message)
    })
    socket.addEventListener('close', () => {
      if (socket !== this.#socket || this.#isClosed) return
      this.#socket = undefined
      if (isOpen && this.state.get().phase === 'answering') {
        this.#finish()
        this.#add({ kind: 'error', text: 'The connection broke before the answer was complete. Ask again.' })
      }
      if (isOpen || !isSecondTry) this.#timer = setTimeout(() => this.#connect(true), comesBackAfter)
      else this.state.set((now) => ({ ...now, phase: 'lost' }))
    })
  }

  #take({ type, payload, created_time }: MessageWire): void {
    const at = dateOf(created_time)
    switch (type) {
      case messageTypes.assistant:
        this.#add({ kind: 'assistant', text: payload }, at)
        return this.#askWaiting()
      case messageTypes.partial: {
        const content = readPayload(partialPayload, payload)?.content ?? ''
        return this.state.set((now) => ({ ...now, partial: now.partial + content, progress: '' }))
      }
      case messageTypes.finalize:
        return this.#finish()
      case messageTypes.progress: {
        const progress = readPayload(progressPayload, payload)?.action ?? ''
        return this.state.set((now) => ({ ...now, phase: 'answering', progress }))
      }
      case messageTypes.error:
        this.#finish()
        return this.#add({ kind: 'error', text: payload }, at)
      case messageTypes.command: {
        const proposal = readPayload(commandPayload, payload)
        this.#finish()
        return proposal && this.#add({ kind: 'command', proposal }, at)
      }
      default:
        return // of a later version
    }
  }

  /** What came in pieces becomes an entry. More may follow: then it is an answer again. */
  #finish(): void {
    const { partial } = this.state.get()
    this.state.set((now) => ({ ...now, phase: 'ready', partial: '', progress: '' }))
    if (partial !== '') this.#add({ kind: 'assistant', text: partial })
  }

  #add(entry: NewEntry, at: Date | undefined = new Date()): void {
    this.state.set((now) => ({ ...now, entries: [...now.entries, { ...entry, at, id: (now.entries.at(-1)?.id ?? -1) + 1 } as Entry] }))
  }
}

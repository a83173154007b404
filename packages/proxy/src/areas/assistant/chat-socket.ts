/** The socket of a conversation: questions come in, answers go out as the model writes them. */
import { messageTypes } from '@sallyport/wire/entities/assistant.ts'
import type { MessageType } from '@sallyport/wire/entities/assistant.ts'
import { chatSocketPath, questionWire } from '@sallyport/wire/sockets/assistant.ts'
import type { WebSocket } from 'ws'
import { z } from 'zod'
import type { Assistant, Listener } from '../../core/assistant/assistant.ts'
import { ModelError } from '../../core/assistant/model-error.ts'
import { serversOf } from '../../core/assistant/servers.ts'
import type { Clock } from '../../core/clock.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { AppError, badParameter, missingPermission } from '../../core/errors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import type { Log } from '../../core/log.ts'
import type { ChangeFeed } from '../../core/resources/change-feed.ts'
import { onSocket } from '../../core/route.ts'
import type { SocketRequest, SocketRoute } from '../../core/route.ts'

export interface ChatSocketDeps {
  cluster: OwnCluster
  assistant: Assistant
  inventory: Pick<Inventory, 'list' | 'nodes'>
  feed: Pick<ChangeFeed, 'subscribe'>
  clock: Clock
  log: Log
}

const greeting =
  'Hello. Ask me about your servers, or what to run on them. I propose commands; nothing runs before you have read it and said so.'
const normalClosure = 1000
const serverFailed = 1011

const query = z.object({ conversation_id: z.string().max(64).optional() })
type Query = z.output<typeof query>

export const chatSocket = (deps: ChatSocketDeps): SocketRoute =>
  onSocket({
    id: 'assistant.chat',
    path: chatSocketPath,
    query,
    async prepare({ params, query, caller }): Promise<string> {
      requireOwnCluster(deps.cluster, params['clusterId'] ?? '')
      if (!caller.access.allows('assistant', 'use')) throw missingPermission('use', 'assistant')
      deps.assistant.require()
      const id = query.conversation_id ?? ''
      if (id === '') throw badParameter('missing conversation_id')
      await deps.assistant.conversations.require(caller.username, id)
      return id
    },
    open: (socket, conversation: string, request) => void new Chat(deps, socket, conversation, request).begin(),
  })

class Chat {
  readonly #deps: ChatSocketDeps
  readonly #socket: WebSocket
  readonly #conversation: string
  readonly #request: SocketRequest<Query>
  readonly #gone = new AbortController()

  constructor(deps: ChatSocketDeps, socket: WebSocket, conversation: string, request: SocketRequest<Query>) {
    this.#deps = deps
    this.#socket = socket
    this.#conversation = conversation
    this.#request = request
    const { caller } = request
    // What they may see is looked up when the socket opens: with other rights it has to be opened again.
    const changes = deps.feed.subscribe(({ kind, name }) => {
      if (kind === 'role' || (kind === 'user' && name === caller.username)) socket.close(normalClosure)
    })
    socket.on('error', () => undefined) // a close follows
    socket.once('close', () => {
      changes[Symbol.dispose]()
      this.#gone.abort(new Error('the browser went away'))
    })
    socket.on('message', (data, isBinary) => void this.#take(isBinary ? undefined : data.toString()))
  }

  /** A conversation in which nothing was said begins with a greeting. */
  async begin(): Promise<void> {
    const { conversations } = this.#deps.assistant
    const user = this.#request.caller.username
    try {
      const before = await conversations.messages(user, this.#conversation)
      if (before.length > 0) return
      const { payload, created } = await conversations.append(user, this.#conversation, { type: messageTypes.assistant, payload: greeting })
      this.#say(messageTypes.assistant, payload, created)
    } catch (error) {
      this.#fail(error)
    }
  }

  async #take(text: string | undefined): Promise<void> {
    const question = questionWire.safeParse(readJson(text))
    if (!question.success) return this.#say(messageTypes.error, 'That cannot be read as a question. It may be too long; make it shorter.')
    const { caller, signal: stopping } = this.#request
    const signal = AbortSignal.any([this.#gone.signal, caller.signal, stopping])
    try {
      await this.#deps.assistant.answer(
        {
          user: caller.username,
          conversation: this.#conversation,
          text: question.data.payload,
          servers: serversOf(this.#deps.inventory, caller),
        },
        this.#listener,
        signal,
      )
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  readonly #listener: Listener = {
    partial: (content, idx) => this.#say(messageTypes.partial, JSON.stringify({ content, idx })),
    finalize: (idx) => this.#say(messageTypes.finalize, JSON.stringify({ idx })),
    progress: (action) => this.#say(messageTypes.progress, JSON.stringify({ action })),
    kept: ({ type, payload, created }) => this.#say(type, payload, created),
  }

  #say(type: MessageType, payload: string, created: number = this.#deps.clock.now()): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return
    this.#socket.send(JSON.stringify({ type, payload, created_time: new Date(created).toISOString() }))
  }

  /** Who asked may do something about it, or it is a bug: then the socket goes as well. */
  #fail(error: unknown): void {
    if (error instanceof ModelError || error instanceof AppError) return this.#say(messageTypes.error, error.message)
    this.#deps.log.error({ err: error }, 'a question to the assistant failed unexpectedly')
    this.#say(messageTypes.error, 'The assistant failed; the log of the proxy says why.')
    this.#socket.close(serverFailed)
  }
}

function readJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined // refused by the form
  }
}

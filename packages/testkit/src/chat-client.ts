/** The browser's ends of the assistant's sockets. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { callPath } from '@sallyport/wire/call.ts'
import type { MessageWire } from '@sallyport/wire/entities/assistant.ts'
import { messageWire } from '@sallyport/wire/entities/assistant.ts'
import { chatSocketPath } from '@sallyport/wire/sockets/assistant.ts'
import { commandDoneWire, commandOutputWire, commandSocketPath } from '@sallyport/wire/sockets/command.ts'
import { decodeFrame, encodeFrame, frameTypes } from '@sallyport/wire/sockets/terminal.ts'
import { z } from 'zod'
import { RefusedError } from './api-client.ts'
import type { ApiClient } from './api-client.ts'

type Person = Pick<ApiClient, 'origin' | 'bearer' | 'cookieHeader'>

/** `opened` rejects with RefusedError when the upgrade is refused. */
function connect({ origin, bearer, cookieHeader }: Person, path: string, query: Record<string, string>) {
  const search = new URLSearchParams({ access_token: bearer ?? '', ...query })
  const socket = new WebSocket(`${origin.replace('http', 'ws')}${path}?${search.toString()}`, { headers: { cookie: cookieHeader, origin } })
  socket.binaryType = 'nodebuffer'
  const opened = Promise.withResolvers<void>()
  socket.once('open', () => opened.resolve())
  socket.once('error', opened.reject)
  socket.once('unexpected-response', (_request, response) => {
    let text = ''
    response.on('data', (bytes: Buffer) => (text += bytes.toString()))
    response.on('end', () => {
      const { error } = z.object({ error: z.object({ message: z.string() }) }).parse(JSON.parse(text))
      opened.reject(new RefusedError(response.statusCode ?? 0, error.message))
    })
  })
  return { socket, opened: opened.promise }
}

export class ChatClient implements AsyncDisposable {
  readonly socket: WebSocket
  readonly messages: MessageWire[] = []
  readonly #watchers = new Set<() => void>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.on('message', (data: Buffer) => {
      this.messages.push(messageWire.parse(JSON.parse(data.toString())))
      for (const watch of [...this.#watchers]) watch()
    })
    socket.on('close', () => this.#watchers.forEach((watch) => watch()))
  }

  static async open(person: Person, cluster: string, conversation?: string): Promise<ChatClient> {
    const path = callPath(chatSocketPath, { clusterId: cluster })
    const { socket, opened } = connect(person, path, conversation === undefined ? {} : { conversation_id: conversation })
    const client = new ChatClient(socket)
    await opened
    return client
  }

  ask(payload: string): void {
    this.socket.send(JSON.stringify({ payload }))
  }

  /** The first message of a type that came after `from` others. */
  async next(type: string, from = 0): Promise<MessageWire> {
    for (;;) {
      const found = this.messages.slice(from).find((message) => message.type === type)
      if (found) return found
      if (this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`the socket closed before ${type}: ${JSON.stringify(this.messages.at(-1))}`)
      await new Promise<void>((resolve) => {
        const watch = (): void => {
          this.#watchers.delete(watch)
          resolve()
        }
        this.#watchers.add(watch)
      })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    const closed = once(this.socket, 'close')
    this.socket.close()
    await closed
  }
}

export interface CommandParams {
  login?: string
  command?: string
  query?: string
  conversation_id?: string
  execution_id?: string
}

/** What came of a command on one server. */
export interface RanNode {
  sid: string
  hostname: string
  output: string
  errors: string
  problem: string
  done: boolean
  exitCode: number | undefined
}

export class CommandClient implements AsyncDisposable {
  readonly socket: WebSocket
  readonly nodes = new Map<string, RanNode>()
  /** Types of the frames, in their order. */
  readonly types: string[] = []
  summary = ''
  /** What the proxy asks to be proved; set before it does. */
  onChallenge: ((challenge: string) => Promise<string>) | undefined
  readonly closed: Promise<void>

  private constructor(socket: WebSocket) {
    this.socket = socket
    this.closed = new Promise((resolve) => socket.once('close', () => resolve()))
    socket.on('message', (data: Buffer) => this.#take(data))
  }

  static async open(
    person: Person,
    cluster: string,
    params: CommandParams,
    onChallenge?: CommandClient['onChallenge'],
  ): Promise<CommandClient> {
    const { socket, opened } = connect(person, callPath(commandSocketPath, { clusterId: cluster }), { params: JSON.stringify(params) })
    const client = new CommandClient(socket)
    client.onChallenge = onChallenge
    await opened
    return client
  }

  #take(data: Buffer): void {
    const { type, payload } = decodeFrame(data)
    const text = Buffer.from(payload).toString()
    this.types.push(type)
    if (type === frameTypes.challenge) {
      void this.onChallenge?.(text).then((answer) => this.socket.send(encodeFrame(frameTypes.challenge, answer)))
    } else if (type === frameTypes.session) {
      const { session } = z
        .object({ session: z.object({ id: z.string(), server_id: z.string(), server_hostname: z.string() }) })
        .parse(JSON.parse(text))
      const fresh = { output: '', errors: '', problem: '', done: false, exitCode: undefined }
      this.nodes.set(session.server_id, { sid: session.id, hostname: session.server_hostname, ...fresh })
    } else if (type === frameTypes.raw) {
      const { node_id, type: kind, payload: bytes } = commandOutputWire.parse(JSON.parse(text))
      const said = Buffer.from(bytes, 'base64').toString()
      const node = this.nodes.get(node_id)
      if (kind === 'summary') this.summary += said
      else if (node && kind === 'stdout') node.output += said
      else if (node && kind === 'stderr') node.errors += said
      else if (node) node.problem += said
    } else if (type === frameTypes.close) {
      const { node_id, exit_code } = commandDoneWire.parse(JSON.parse(text))
      const node = this.nodes.get(node_id)
      if (node) Object.assign(node, { done: true, exitCode: exit_code })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return
    this.socket.close()
    await this.closed
  }
}

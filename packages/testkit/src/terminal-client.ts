/** The browser's end of a terminal socket: sends keys, keeps what came. */
import { once } from 'node:events'
import { WebSocket } from 'ws'
import { decodeFrame, encodeFrame, frameTypes, proxyTextWire, resizePayload } from '@sallyport/wire/sockets/terminal.ts'
import type { ApiClient } from './api-client.ts'

export interface TerminalTarget {
  cluster: string
  /** Left out when a running session is joined. */
  serverId?: string
  login?: string
  sid?: string
  mode?: string
  columns?: number
  rows?: number
  /** Comes back to a seat. */
  resume?: { token: string; offset: number }
  /** A container instead of a server. */
  pod?: { kubeCluster: string; namespace: string; pod: string; container?: string }
}

/** Keys go out in pieces that fit one frame. */
const keysPerFrame = 4000

export class TerminalClient implements AsyncDisposable {
  readonly socket: WebSocket
  /** Everything that the terminal showed. */
  output = ''
  /** Bytes of it that the shell wrote. */
  outputBytes = 0
  /** Payloads of the frames that are not output, by type. */
  readonly frames: { type: string; payload: string }[] = []
  closedByServer = false
  readonly #watchers = new Set<() => void>()
  readonly #decoder = new TextDecoder()
  /** Bytes to come that the proxy wrote itself. */
  #proxyBytes = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.binaryType = 'nodebuffer'
    socket.on('message', (data: Buffer) => this.#receive(data))
    socket.on('close', () => {
      this.closedByServer = true
      this.#notify()
    })
  }

  /** Opens a shell. Rejects with the status when the proxy refuses the upgrade. */
  static async open(client: Pick<ApiClient, 'origin' | 'bearer' | 'cookieHeader'>, target: TerminalTarget): Promise<TerminalClient> {
    const { cluster, serverId, login, sid, mode, columns = 80, rows = 24, resume, pod } = target
    const parameters = { server_id: serverId, login, sid, mode, resume, kube: pod, term: { h: rows, w: columns } }
    const query = new URLSearchParams({ access_token: client.bearer ?? '', params: JSON.stringify(parameters) })
    const url = `${client.origin.replace('http', 'ws')}/v1/webapi/sites/${cluster}/${pod ? 'kube/exec' : 'connect'}?${query.toString()}`
    const socket = new WebSocket(url, { headers: { cookie: client.cookieHeader, origin: client.origin } })
    const terminal = new TerminalClient(socket)
    await once(socket, 'open')
    return terminal
  }

  #receive(data: Buffer): void {
    const { type, payload } = decodeFrame(data)
    if (type === frameTypes.raw) {
      this.output += this.#decoder.decode(payload, { stream: true })
      const ofProxy = Math.min(this.#proxyBytes, payload.length)
      this.#proxyBytes -= ofProxy
      this.outputBytes += payload.length - ofProxy
      this.#notify()
      return
    }
    if (type === frameTypes.audit && this.#isOwnEvent(payload)) return
    this.frames.push({ type, payload: Buffer.from(payload).toString() })
    this.#notify()
  }

  /** Events that only consoles of ours know. */
  #isOwnEvent(payload: Uint8Array): boolean {
    const event: unknown = JSON.parse(Buffer.from(payload).toString())
    this.#proxyBytes += proxyTextWire.safeParse(event).data?.bytes ?? 0
    return typeof event === 'object' && event !== null && 'event' in event && String(event.event).startsWith('sallyport.')
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }

  type(keys: string): void {
    const characters = [...keys]
    for (let at = 0; at < characters.length; at += keysPerFrame)
      this.socket.send(encodeFrame(frameTypes.raw, characters.slice(at, at + keysPerFrame).join('')))
  }

  resize(columns: number, rows: number): void {
    this.socket.send(encodeFrame(frameTypes.resize, resizePayload(columns, rows)))
  }

  /** Resolves with the match once the output holds the pattern; rejects when the socket closes first. */
  async see(pattern: string | RegExp): Promise<RegExpExecArray> {
    const expression = typeof pattern === 'string' ? new RegExp(pattern.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)) : pattern
    return this.until(() => expression.exec(this.output) ?? undefined, `${expression}`)
  }

  /** Resolves with the payload of the first frame of that type. */
  async frame(type: string): Promise<string> {
    return this.until(() => this.frames.find((frame) => frame.type === type)?.payload, `a frame of type ${type}`)
  }

  /** Resolves when the server closed the socket. */
  async closed(): Promise<void> {
    if (!this.closedByServer) await once(this.socket, 'close')
  }

  private until<T>(look: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = look()
        if (found === undefined && !this.closedByServer) return
        this.#watchers.delete(check)
        if (found === undefined) reject(new Error(`the terminal closed before it showed ${what}; it showed: ${this.output.slice(-2000)}`))
        else resolve(found)
      }
      this.#watchers.add(check)
      check()
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.closedByServer) return
    this.socket.close(1000)
    await once(this.socket, 'close')
  }
}

/** The browser's end of a desktop socket: sends keys and pointer, keeps the picture. */
import { once } from 'node:events'
import { inflateSync } from 'node:zlib'
import { decodeToConsole, encodeKey } from '@sallyport/wire/sockets/desktop.ts'
import type { ToConsole } from '@sallyport/wire/sockets/desktop.ts'
import type { FileRequest } from '@sallyport/wire/sockets/shared-directory.ts'
import { WebSocket } from 'ws'
import type { ApiClient } from './api-client.ts'

/** The picture as its messages left it. */
export class SeenScreen {
  width = 0
  height = 0
  #pixels = Buffer.alloc(0)

  take(message: ToConsole): void {
    if (message.kind === 'size') {
      this.width = message.width
      this.height = message.height
      this.#pixels = Buffer.alloc(message.width * message.height * 3)
    }
    if (message.kind !== 'picture') return
    const { left, top, right, bottom, png } = message
    const row = (right - left) * 3
    const rows = pixelsOf(Buffer.from(png))
    for (let y = top; y < bottom; y += 1)
      rows.copy(this.#pixels, (y * this.width + left) * 3, (y - top) * (row + 1) + 1, (y - top + 1) * (row + 1))
  }

  /** Pixels that differ from the one in the corner at the bottom right: a terminal's text. */
  get ink(): number {
    const paper = this.#pixels.subarray(-3).toString('hex')
    let count = 0
    for (let at = 0; at < this.#pixels.length; at += 3) if (this.#pixels.toString('hex', at, at + 3) !== paper) count += 1
    return count
  }

  get pixels(): Buffer {
    return Buffer.from(this.#pixels)
  }
}

/** The rows of a PNG as this product writes them: each with a zero before its pixels. */
function pixelsOf(png: Buffer): Buffer {
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT') return inflateSync(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  throw new Error('a picture has no pixels')
}

export interface DesktopTarget {
  cluster: string
  desktop: string
  login?: string
  width?: string
  height?: string
}

export class DesktopClient implements AsyncDisposable {
  readonly socket: WebSocket
  readonly screen = new SeenScreen()
  readonly messages: ToConsole[] = []
  isClosed = false
  /** Answers what the desktop asks of a shared directory. */
  onFile: ((request: FileRequest) => Uint8Array | undefined) | undefined
  readonly #watchers = new Set<() => void>()

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.binaryType = 'nodebuffer'
    socket.on('message', (data: Buffer) => {
      const message = decodeToConsole(data)
      if (message.kind === 'file') {
        const answer = this.onFile?.(message.request)
        if (answer) socket.send(answer)
        return
      }
      this.screen.take(message)
      if (message.kind !== 'picture') this.messages.push(message)
      this.#notify()
    })
    socket.on('close', () => {
      this.isClosed = true
      this.#notify()
    })
  }

  static async open(
    { origin, bearer, cookieHeader }: Pick<ApiClient, 'origin' | 'bearer' | 'cookieHeader'>,
    { cluster, desktop, login: username, width = '1024', height = '700' }: DesktopTarget,
  ): Promise<DesktopClient> {
    const query = new URLSearchParams({ access_token: bearer ?? '', ...(username !== undefined && { username }), width, height })
    const url = `${origin.replace('http', 'ws')}/v1/webapi/sites/${cluster}/desktops/${desktop}/connect?${query.toString()}`
    const socket = new WebSocket(url, { headers: { cookie: cookieHeader, origin } })
    const client = new DesktopClient(socket)
    await once(socket, 'open')
    return client
  }

  press(...scancodes: number[]): void {
    for (const scancode of scancodes) for (const isDown of [true, false]) this.socket.send(encodeKey(scancode, isDown))
  }

  /** Resolves with what the look finds; rejects when the socket closes first. */
  until<T>(look: (client: this) => T | undefined | false, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const found = look(this)
        const isFound = found !== undefined && found !== false
        if (!isFound && !this.isClosed) return
        this.#watchers.delete(check)
        if (isFound) resolve(found)
        else reject(new Error(`the desktop closed before ${what}; it said ${JSON.stringify(this.messages)}`))
      }
      this.#watchers.add(check)
      check()
    })
  }

  /** The fatal word. */
  lastWord(): Promise<string> {
    return this.until(
      ({ messages }) => messages.flatMap((message) => (message.kind === 'alert' && message.severity === 'error' ? [message.text] : []))[0],
      'its last word',
    )
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.isClosed) return
    this.socket.close(1000)
    await once(this.socket, 'close')
  }
}

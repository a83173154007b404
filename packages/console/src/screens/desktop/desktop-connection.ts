/** A desktop in this page, from the socket to the canvas and back. */
import { authenticateChallengeWire } from '@sallyport/wire/entities/mfa.ts'
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import {
  decodeToConsole,
  encodeButton,
  encodeClipboard,
  encodeDesktopChallenge,
  encodeDirectory,
  encodeKey,
  encodeMove,
  encodeWheel,
} from '@sallyport/wire/sockets/desktop.ts'
import type { MouseButton, ToConsole } from '@sallyport/wire/sockets/desktop.ts'
import { encodeFileAnswer } from '@sallyport/wire/sockets/shared-directory.ts'
import type { FileRequest } from '@sallyport/wire/sockets/shared-directory.ts'
import { clipboardLimit } from '@sallyport/wire/limits.ts'
import { DesktopCanvas } from '../../parts/desktop-screen/desktop-canvas.ts'
import type { ScreenSize } from '../../parts/desktop-screen/desktop-canvas.ts'
import { createStore } from '../../ui/store.ts'
import { SharedFolder } from './shared-folder.ts'

export interface ConnectionState {
  phase: 'connecting' | 'open' | 'ended'
  /** The proxy's last word, when it said one. */
  reason?: string | undefined
  challenge?: AuthenticateChallenge | undefined
  size?: ScreenSize | undefined
  /** The directory that is shared; not `isTaken` while the desktop has not said that it takes it. */
  sharing?: { name: string; isTaken: boolean } | undefined
  /** News that end nothing. */
  notices: readonly string[]
}

export interface ConnectionOptions {
  address: string
  canvas: HTMLCanvasElement
  /** Somebody copied on the desktop. */
  onCopied: (text: string) => void
}

const most = 20
/** The only one that there is at a time. */
const directoryId = 2

export class DesktopConnection {
  readonly state = createStore<ConnectionState>({ phase: 'connecting', notices: [] })
  readonly #socket: WebSocket
  readonly #canvas: DesktopCanvas
  readonly #options: ConnectionOptions
  readonly #pressed = new Set<number>()
  #pasted = ''
  #folder: SharedFolder | undefined

  constructor(options: ConnectionOptions) {
    this.#options = options
    this.#canvas = new DesktopCanvas(options.canvas, {
      onSize: (size) => this.#set({ size }),
      onShown: () => this.state.get().phase === 'connecting' && this.#set({ phase: 'open', challenge: undefined }),
    })
    this.#socket = new WebSocket(options.address)
    this.#socket.binaryType = 'arraybuffer'
    this.#socket.addEventListener('message', ({ data }: MessageEvent<unknown>) => this.#take(data))
    this.#socket.addEventListener('close', () => this.#end())
  }

  key(scancode: number, isDown: boolean): void {
    if (isDown) this.#pressed.add(scancode)
    else this.#pressed.delete(scancode)
    this.#send(encodeKey(scancode, isDown))
  }

  /** Presses keys together and lets them go. */
  chord(...scancodes: number[]): void {
    for (const scancode of scancodes) this.key(scancode, true)
    for (const scancode of scancodes.toReversed()) this.key(scancode, false)
  }

  /** Nobody holds a key any more: the page lost the keyboard. */
  releaseKeys(): void {
    for (const scancode of [...this.#pressed]) this.key(scancode, false)
  }

  move(x: number, y: number): void {
    this.#send(encodeMove(x, y))
  }

  button(button: MouseButton, isDown: boolean): void {
    this.#send(encodeButton(button, isDown))
  }

  wheel(axis: 'vertical' | 'horizontal', delta: number): void {
    this.#send(encodeWheel(axis, delta))
  }

  /** Text that can be pasted on the desktop from now on; the same text goes over once. */
  offerText(text: string): void {
    if (text === '' || text === this.#pasted) return
    this.#pasted = text
    if (text.length > clipboardLimit) return this.notify('The text on the clipboard is too long for a desktop: share it as a file instead.')
    this.#send(encodeClipboard(text))
  }

  answer(assertion: Assertion): void {
    this.#set({ challenge: undefined })
    this.#send(encodeDesktopChallenge(JSON.stringify(assertion)))
  }

  /** The desktop may use the directory from now on, instead of one that was shared before. */
  share(directory: FileSystemDirectoryHandle): void {
    this.#folder?.close()
    this.#folder = new SharedFolder(directory, (text) => this.notify(text))
    this.#set({ sharing: { name: directory.name, isTaken: false } })
    this.#send(encodeDirectory(directoryId, directory.name))
  }

  /** Nothing of the directory is given out any more, whatever the proxy makes of an empty name. */
  stopSharing(): void {
    if (!this.#folder) return
    this.#unshare()
    this.#send(encodeDirectory(directoryId, ''))
  }

  notify(text: string): void {
    this.#set({ notices: [...this.state.get().notices, text].slice(-most) })
  }

  dismissNotices(): void {
    this.#set({ notices: [] })
  }

  close(): void {
    this.#canvas.stop()
    this.#socket.close(1000)
  }

  #take(data: unknown): void {
    if (!(data instanceof ArrayBuffer)) return
    let message: ToConsole
    try {
      message = decodeToConsole(new Uint8Array(data))
    } catch (error) {
      return this.#fail(error instanceof Error ? `The proxy sent something unknown: ${error.message}.` : undefined)
    }
    switch (message.kind) {
      case 'clipboard':
        this.#pasted = message.text
        return this.#options.onCopied(message.text)
      case 'challenge':
        return this.#ask(message.json)
      case 'alert':
        if (message.severity === 'error') return this.#fail(message.text)
        // A proxy says in this way that the directory is not shared.
        if (this.state.get().sharing?.isTaken === false) this.#unshare()
        return this.notify(message.text)
      case 'shared':
        return this.#onShared(message.hasFailed)
      case 'file':
        return void this.#answerFile(message.request)
      default:
        void this.#canvas.take(message)
    }
  }

  #ask(json: string): void {
    try {
      const challenge = authenticateChallengeWire.safeParse(JSON.parse(json))
      if (challenge.success) return this.#set({ challenge: challenge.data })
    } catch {
      // no JSON: said below
    }
    this.#fail('The proxy asks for a second factor in a way that is unknown here.')
  }

  #onShared(hasFailed: boolean): void {
    const { sharing } = this.state.get()
    if (!sharing) return
    if (!hasFailed) return this.#set({ sharing: { ...sharing, isTaken: true } })
    this.#unshare()
    this.notify('The desktop did not take the directory.')
  }

  async #answerFile(request: FileRequest): Promise<void> {
    const { verb, completion } = request
    const answer = (await this.#folder?.answer(request)) ?? { verb, completion, error: 'failed' }
    this.#send(encodeFileAnswer(answer))
  }

  #unshare(): void {
    this.#folder?.close()
    this.#folder = undefined
    this.#set({ sharing: undefined })
  }

  #fail(reason: string | undefined): void {
    this.#set({ reason })
    this.close()
    this.#end()
  }

  #end(): void {
    this.#unshare()
    if (this.state.get().phase !== 'ended') this.#set({ phase: 'ended', challenge: undefined })
  }

  #set(change: Partial<ConnectionState>): void {
    this.state.set((now) => ({ ...now, ...change }))
  }

  #send(message: Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message)
  }
}

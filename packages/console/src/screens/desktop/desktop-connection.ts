/** A desktop in this page, from the socket to the canvas and back. */
import { authenticateChallengeWire } from '@sallyport/wire/entities/mfa.ts'
import type { Assertion, AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import {
  decodeToConsole,
  encodeButton,
  encodeClipboard,
  encodeDesktopChallenge,
  encodeKey,
  encodeMove,
  encodeWheel,
} from '@sallyport/wire/sockets/desktop.ts'
import type { MouseButton, ToConsole } from '@sallyport/wire/sockets/desktop.ts'
import { DesktopCanvas } from '../../parts/desktop-screen/desktop-canvas.ts'
import type { ScreenSize } from '../../parts/desktop-screen/desktop-canvas.ts'
import { createStore } from '../../ui/store.ts'

export interface ConnectionState {
  phase: 'connecting' | 'open' | 'ended'
  /** The proxy's last word, when it said one. */
  reason?: string | undefined
  challenge?: AuthenticateChallenge | undefined
  size?: ScreenSize | undefined
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

export class DesktopConnection {
  readonly state = createStore<ConnectionState>({ phase: 'connecting', notices: [] })
  readonly #socket: WebSocket
  readonly #canvas: DesktopCanvas
  readonly #options: ConnectionOptions
  readonly #pressed = new Set<number>()
  #pasted = ''

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
    this.#send(encodeClipboard(text))
  }

  answer(assertion: Assertion): void {
    this.#set({ challenge: undefined })
    this.#send(encodeDesktopChallenge(JSON.stringify(assertion)))
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
        return this.#set({ notices: [...this.state.get().notices, message.text].slice(-most) })
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

  #fail(reason: string | undefined): void {
    this.#set({ reason })
    this.close()
    this.#end()
  }

  #end(): void {
    if (this.state.get().phase !== 'ended') this.#set({ phase: 'ended', challenge: undefined })
  }

  #set(change: Partial<ConnectionState>): void {
    this.state.set((now) => ({ ...now, ...change }))
  }

  #send(message: Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(message)
  }
}

/** The browser's end of a desktop: pictures and words go out, keys and pointer come in. */
import type { AuthenticateChallenge } from '@sallyport/wire/entities/mfa.ts'
import { DesktopMessageCutter } from '@sallyport/wire/sockets/desktop-cutter.ts'
import { DesktopMessageError } from '@sallyport/wire/sockets/desktop-message-error.ts'
import { encodeAlert, encodeDesktopChallenge } from '@sallyport/wire/sockets/desktop.ts'
import type { AlertSeverity, ToDesktop } from '@sallyport/wire/sockets/desktop.ts'
import type { RawData, WebSocket } from 'ws'
import type { AskedBrowser } from '../../core/identity/session-proof.ts'

/** Bytes handed to the socket and not sent yet: above, no picture is made; below the second, they go on. */
const fullAt = 1024 * 1024
const emptyAt = 256 * 1024
const normalClosure = 1000

export interface DesktopSocketOptions {
  onMessage: (message: ToDesktop) => void
  /** The browser is gone, or sent what is no message. */
  onGone: (reason?: string) => void
}

export class DesktopSocket implements AskedBrowser {
  readonly #socket: WebSocket
  readonly #options: DesktopSocketOptions
  readonly #cutter = new DesktopMessageCutter()
  #isClosed = false
  #inFlight = 0
  #onRoom: (() => void) | undefined
  #onAnswer: ((answer: string | undefined) => void) | undefined

  constructor(socket: WebSocket, options: DesktopSocketOptions) {
    this.#socket = socket
    this.#options = options
    socket.on('message', (data, isBinary) => this.#take(data, isBinary))
    socket.on('error', () => undefined) // a close follows
    socket.on('close', () => this.#gone())
  }

  send(message: Uint8Array): void {
    if (this.#isClosed) return
    this.#inFlight += message.length
    this.#socket.send(message, () => {
      this.#inFlight -= message.length
      if (this.#inFlight < emptyAt) this.#wake()
    })
  }

  /** Resolves when the browser has taken most of what it was sent, or is gone. */
  roomy(): Promise<void> {
    if (this.#inFlight <= fullAt || this.#isClosed) return Promise.resolve()
    return new Promise((resolve) => {
      this.#onRoom = resolve
    })
  }

  alert(text: string, severity: AlertSeverity): void {
    this.send(encodeAlert(text, severity))
  }

  ask(challenge: AuthenticateChallenge): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    this.send(encodeDesktopChallenge(JSON.stringify(challenge)))
    return new Promise((resolve) => {
      this.#onAnswer = resolve
    })
  }

  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#wake()
    this.#socket.close(normalClosure)
  }

  #take(data: RawData, isBinary: boolean): void {
    if (this.#isClosed) return
    try {
      if (!isBinary || !(data instanceof Buffer)) throw new DesktopMessageError('text came where only messages belong')
      for (const message of this.#cutter.push(data)) {
        if (message.kind === 'challenge') this.#answer(message.json)
        else this.#options.onMessage(message)
      }
    } catch (error) {
      if (!(error instanceof DesktopMessageError)) throw error
      const reason = `The browser sent a malformed message: ${error.message}.`
      this.alert(reason, 'error')
      this.close()
      this.#options.onGone(reason)
    }
  }

  #answer(json: string | undefined): void {
    const answered = this.#onAnswer
    this.#onAnswer = undefined
    answered?.(json)
  }

  #wake(): void {
    const resume = this.#onRoom
    this.#onRoom = undefined
    resume?.()
  }

  #gone(): void {
    this.#isClosed = true
    this.#wake()
    this.#answer(undefined)
    this.#options.onGone()
  }
}

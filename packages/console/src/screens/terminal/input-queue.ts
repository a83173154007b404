import { encodeFrame, frameTypes, splitPayload } from '@sallyport/wire/sockets/terminal.ts'

const utf8 = new TextEncoder()
const interrupt = '\u0003'
const pasteEnd = '\u001b[201~'

/**
 * Keystrokes and pastes on their way to the server, in order and in frames of the size that the wire allows.
 * A long paste leaves only as fast as the socket takes it; Ctrl+C drops what is left of it.
 */
export class InputQueue {
  readonly #send: (frame: Uint8Array<ArrayBuffer>) => Promise<void>
  #frames: Uint8Array<ArrayBuffer>[] = []
  #sending = false
  #openPaste = false

  constructor(send: (frame: Uint8Array<ArrayBuffer>) => Promise<void>) {
    this.#send = send
  }

  /** Frames that have not left yet. */
  get waiting(): number {
    return this.#frames.length
  }

  push(text: string): void {
    if (text === interrupt && this.#frames.length > 0) {
      this.#frames = []
      if (this.#openPaste) this.#append(pasteEnd)
    }
    this.#append(text)
    this.#openPaste = text.endsWith(pasteEnd)
    void this.#drain()
  }

  #append(text: string): void {
    // A lone surrogate encodes as a whole replacement character, so nothing is ever left over.
    for (const payload of splitPayload(utf8.encode(text)).payloads) this.#frames.push(encodeFrame(frameTypes.raw, payload))
  }

  async #drain(): Promise<void> {
    if (this.#sending) return
    this.#sending = true
    for (let frame = this.#frames.shift(); frame; frame = this.#frames.shift()) await this.#send(frame)
    this.#sending = false
  }
}

/** The clipboard between a browser and a desktop: text only, fetched from the desktop as soon as it is copied there. */
import { ChannelReader, encodeChannelMessage } from '@sallyport/protocols/rdp/channels.ts'
import {
  encodeClipboardCapabilities,
  encodeFormats,
  encodeFormatsAnswer,
  encodeText,
  encodeTextRequest,
  parseClipboard,
} from '@sallyport/protocols/rdp/clipboard.ts'
import { clipboardLimit } from '@sallyport/wire/limits.ts'

export interface ClipboardOptions {
  send: (chunk: Buffer) => void
  onText: (text: string) => void
}

export class Clipboard {
  readonly #options: ClipboardOptions
  /** In UTF-16, with what goes around it. */
  readonly #reader = new ChannelReader(clipboardLimit * 2 + 64)
  #offered: string | undefined
  #isReady = false

  constructor(options: ClipboardOptions) {
    this.#options = options
  }

  /** The desktop may paste it from now on. */
  offer(text: string): void {
    this.#offered = text
    if (this.#isReady) this.#send(encodeFormats(true))
  }

  take(data: Buffer): void {
    const whole = this.#reader.push(data)
    if (!whole) return
    const message = parseClipboard(whole)
    switch (message.kind) {
      case 'ready':
        this.#isReady = true
        this.#send(encodeClipboardCapabilities())
        return this.#send(encodeFormats(this.#offered !== undefined))
      case 'formats':
        this.#send(encodeFormatsAnswer())
        if (message.hasText) this.#send(encodeTextRequest())
        return
      case 'request':
        return this.#send(encodeText(message.isText ? this.#offered : undefined))
      case 'text':
        if (message.text !== undefined && message.text !== '') this.#options.onText(message.text)
        return
      default:
        return
    }
  }

  #send(message: Buffer): void {
    for (const chunk of encodeChannelMessage(message)) this.#options.send(chunk)
  }
}

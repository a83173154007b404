/** One desktop session from its durable start to its durable end. */
import type { ToDesktop } from '@sallyport/wire/sockets/desktop.ts'
import { clipboardLimit } from '@sallyport/wire/limits.ts'
import { encodeButton, encodeClipboard, encodeMove, encodeShared } from '@sallyport/wire/sockets/desktop.ts'
import type { InputEvent } from '@sallyport/protocols/rdp/fast-path.ts'
import type { DesktopLog } from './desktop-log.ts'
import type { DesktopSocket } from './desktop-socket.ts'
import { DesktopError } from './desktop-error.ts'
import { FramePump } from './frame-pump.ts'
import type { Painters } from './painter.ts'
import type { RdpSession } from './rdp/rdp-client.ts'
import { SharedDirectory } from './shared-directory.ts'

export interface DesktopSessionOptions {
  rdp: RdpSession
  painters: Pick<Painters, 'open'>
  socket: Pick<DesktopSocket, 'send' | 'roomy' | 'alert'>
  log: DesktopLog
  withClipboard: boolean
  withDirectories: boolean
  /** Something was done in it. */
  onActivity: () => void
}

/** Browsers tell pixels; desktops want notches of 120. */
const notch = 120
const isWheelStep = (delta: number): boolean => Math.abs(delta) >= 1

export class DesktopSession {
  readonly #options: DesktopSessionOptions
  #pointer = { x: 0, y: 0 }
  #failure: unknown
  #directory: SharedDirectory | undefined

  constructor(options: DesktopSessionOptions) {
    this.#options = options
  }

  /** Resolves with the desktop's last word when it ends. Rejects with what broke it. */
  async run(): Promise<string | undefined> {
    const { rdp, socket, log, painters } = this.#options
    const pump = new FramePump({
      painter: painters.open(),
      send: (message) => {
        log.shown(message)
        socket.send(message)
      },
      roomy: async () => {
        await Promise.all([socket.roomy(), log.roomy()])
      },
      withKeyFrames: log.isRecorded,
      onKeyFrame: (messages) => log.keyFrame(messages),
      onFailure: (error) => this.#fail(error),
    })
    try {
      return await rdp.run({
        onSize: (width, height) => pump.size(width, height),
        onUpdate: (update) => pump.draw(update),
        onCopied: (text) => this.#copied(text),
        // Drawing is gathered in one picture: the desktop waits for its own drawing, and never for the browser.
        ready: () => pump.flush(),
      })
    } finally {
      this.#directory?.end()
      await pump.stop()
      // oxlint-disable-next-line no-unsafe-finally -- what broke the pictures goes before what that broke
      if (this.#failure !== undefined) throw this.#failure
    }
  }

  take(message: ToDesktop): void {
    const { rdp, log, withClipboard } = this.#options
    if (message.kind === 'file') return this.#directory?.answer(message.answer)
    this.#options.onActivity()
    if (message.kind === 'directory') return void this.#share(message.directory, message.name).catch((error: unknown) => this.#fail(error))
    if (message.kind === 'clipboard') {
      const text = message.text.slice(0, clipboardLimit)
      if (!withClipboard || text === '') return
      log.clipboard('sent', Buffer.byteLength(text))
      return rdp.paste(text)
    }
    const event = this.#eventOf(message)
    if (event) rdp.input(event)
  }

  #eventOf(message: ToDesktop): InputEvent | undefined {
    switch (message.kind) {
      case 'move':
        this.#pointer = { x: message.x, y: message.y }
        this.#options.log.shown(encodeMove(message.x, message.y))
        return { kind: 'move', ...this.#pointer }
      case 'button':
        this.#options.log.shown(encodeButton(message.button, message.isDown))
        return { kind: 'button', button: message.button, isDown: message.isDown, ...this.#pointer }
      case 'wheel':
        return isWheelStep(message.delta)
          ? {
              kind: 'wheel',
              axis: message.axis,
              delta: Math.sign(message.delta) * Math.min(notch, Math.abs(message.delta)),
              ...this.#pointer,
            }
          : undefined
      case 'key':
        return { kind: 'key', scancode: message.scancode, isDown: message.isDown }
      case 'lockKeys':
        return { kind: 'locks', locks: message }
      default:
        return undefined
    }
  }

  /** An empty name takes back what is shared. */
  async #share(id: number, name: string): Promise<void> {
    const { rdp, socket, log, withDirectories } = this.#options
    this.#directory?.end()
    this.#directory = undefined
    if (name === '') return rdp.unshare()
    const directory = new SharedDirectory({ id, name: name.slice(0, 255), send: (message) => socket.send(message), log })
    try {
      if (!withDirectories) throw new DesktopError('refused', 'Your roles do not share directories with desktops.')
      this.#directory = directory
      await rdp.share(directory.name, directory)
    } catch (error) {
      if (!(error instanceof DesktopError)) throw error
      directory.end()
      if (error.code === 'cancelled') return
      await log.directory(directory, error.message)
      return socket.alert(error.message, 'warning')
    }
    await log.directory(directory)
    socket.send(encodeShared(id))
  }

  #fail(error: unknown): void {
    this.#failure = error
    this.#options.rdp.close()
  }

  #copied(text: string): void {
    const cut = text.slice(0, clipboardLimit)
    this.#options.log.clipboard('received', Buffer.byteLength(cut))
    this.#options.socket.send(encodeClipboard(cut))
  }
}

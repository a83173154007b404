/** A terminal without a window, on which a recording is played to take pictures of it. */
// oxlint-disable-next-line import/default -- it is CommonJS, which has one
import serialize from '@xterm/addon-serialize'
import headless from '@xterm/headless'
import { widthProvider } from '@sallyport/protocols/terminal/character-width.ts'
import { z } from 'zod'
import { ShellCommands } from './shell-commands.ts'
import type { ShellCommand } from './shell-commands.ts'

/** Lines above the screen that a picture holds. */
const scrollback = 200
/** A window beyond this is nobody's; pictures of it would only take memory. */
const cellLimit = 200_000

export interface ScreenSize {
  columns: number
  rows: number
}

/**
 * What the emulator knows and its addon does not write: the rows that scroll, a hidden cursor, line drawing letters.
 * These are inner fields of the one version that is installed; a test compares pictures with what they are taken from.
 */
const innerState = z.object({
  _bufferService: z.object({ buffer: z.object({ scrollTop: z.number(), scrollBottom: z.number() }) }),
  coreService: z.object({ isCursorHidden: z.boolean() }),
  _charsetService: z.object({ glevel: z.number(), charset: z.unknown().optional(), _charsets: z.array(z.unknown()) }),
})

export class RecordedScreen {
  readonly #terminal: headless.Terminal
  readonly #serializer = new serialize.SerializeAddon()
  readonly #commands: ShellCommands
  #size: ScreenSize
  #isTooLarge: boolean
  /** The time of what is written; commands begin at it. */
  now = 0

  constructor(size: ScreenSize) {
    this.#size = size
    this.#isTooLarge = size.columns * size.rows > cellLimit
    const [cols, rows] = this.#isTooLarge ? [80, 25] : [size.columns, size.rows]
    this.#terminal = new headless.Terminal({ cols, rows, scrollback, allowProposedApi: true, logLevel: 'off' })
    this.#terminal.unicode.register(widthProvider('sallyport'))
    this.#terminal.unicode.activeVersion = 'sallyport'
    this.#terminal.loadAddon(this.#serializer)
    this.#commands = new ShellCommands(this.#terminal, () => this.now)
  }

  /** Those that the shell told of. */
  get commands(): readonly ShellCommand[] {
    return this.#commands.list
  }

  get size(): ScreenSize {
    return this.#size
  }

  resize(size: ScreenSize): void {
    this.#size = size
    this.#isTooLarge ||= size.columns * size.rows > cellLimit
    if (!this.#isTooLarge) this.#terminal.resize(size.columns, size.rows)
  }

  /** Resolves when the bytes are on the screen. */
  async write(bytes: Uint8Array): Promise<void> {
    if (!this.#isTooLarge && bytes.length > 0) await new Promise<void>((resolve) => this.#terminal.write(bytes, resolve))
  }

  /**
   * Output that makes an empty terminal of this size look and go on like this one; undefined once the window was too
   * large to be followed.
   */
  picture(): string | undefined {
    if (this.#isTooLarge) return undefined
    return this.#serializer.serialize({ scrollback, excludeModes: false }) + this.#rest()
  }

  #rest(): string {
    const terminal = this.#terminal
    const { _bufferService, coreService, _charsetService } = innerState.parse(Reflect.get(terminal, '_core'))
    const { scrollTop, scrollBottom } = _bufferService.buffer
    let rest = ''
    const isWhole = scrollTop === 0 && scrollBottom === terminal.rows - 1
    if (!isWhole || terminal.modes.originMode) {
      const { cursorX, cursorY } = terminal.buffer.active
      const top = terminal.modes.originMode ? scrollTop : 0
      rest += `\x1b[${scrollTop + 1};${scrollBottom + 1}r\x1b[${cursorY - top + 1};${Math.min(cursorX, terminal.cols - 1) + 1}H`
    }
    const { glevel, charset, _charsets } = _charsetService
    for (const [level, designator] of ['(', ')', '*', '+'].entries())
      if (level === glevel ? charset : _charsets[level]) rest += `\x1b${designator}0`
    if (glevel === 1) rest += '\x0e'
    if (coreService.isCursorHidden) rest += '\x1b[?25l'
    return rest
  }

  dispose(): void {
    this.#terminal.dispose()
  }
}

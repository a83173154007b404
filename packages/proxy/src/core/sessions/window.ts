/** The size of a session's terminal. */
import type { Shell } from './shell.ts'
import type { TerminalSize } from './subject.ts'

/** Programs hear of a change of size with a signal; two in a row would reach them as one. */
const betweenSizes = 100

export class SessionWindow {
  readonly #first: TerminalSize
  #size: TerminalSize
  #shell: Shell | undefined
  #redrawing: NodeJS.Timeout | undefined

  constructor(size: TerminalSize) {
    this.#first = size
    this.#size = size
  }

  get size(): TerminalSize {
    return this.#size
  }

  isOfSize({ columns, rows }: TerminalSize): boolean {
    return this.#size.columns === columns && this.#size.rows === rows
  }

  /** A shell that was opened with the size that the session had first. */
  use(shell: Shell): void {
    this.#shell = shell
    if (!this.isOfSize(this.#first)) this.resize(this.#size)
  }

  resize(size: TerminalSize): void {
    this.#size = size
    this.#shell?.setWindow(size.columns, size.rows)
  }

  /** Makes a full-screen program draw everything anew, by another size for a moment. */
  redraw(): void {
    const { columns, rows } = this.#size
    if (!this.#shell || this.#redrawing || rows < 2) return
    this.#shell.setWindow(columns, rows - 1)
    this.#redrawing = setTimeout(() => {
      this.#redrawing = undefined
      this.#shell?.setWindow(this.#size.columns, this.#size.rows)
    }, betweenSizes)
  }

  stop(): void {
    clearTimeout(this.#redrawing)
    this.#shell = undefined
  }
}

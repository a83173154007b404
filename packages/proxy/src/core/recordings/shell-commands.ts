/**
 * Commands as a shell tells of them: many mark their prompt, what is typed behind it and the output of a command with
 * sequences that terminals do not show (OSC 133, and 633 of an editor's shell). Nothing is guessed: without them there
 * are no commands. They are output like any other, so what they say is only as good as the program that printed them.
 */
import type { IMarker, Terminal } from '@xterm/headless'

export interface ShellCommand {
  /** Milliseconds; what `now` said when the command began to run. */
  at: number
  text: string
  /** What it ended with, if the shell told. */
  exit?: number | undefined
}

/** A recording with more of them shows those that came first. */
const commandLimit = 2000
const textLimit = 500

/** Bytes that begin such a sequence; whoever sees them knows that the time matters. */
export const shellMarks = [Buffer.from('\x1b]133;'), Buffer.from('\x1b]633;')] as const

export class ShellCommands {
  readonly list: ShellCommand[] = []
  readonly #terminal: Terminal
  readonly #now: () => number
  #input: { marker: IMarker; column: number } | undefined
  #told: string | undefined
  #running: ShellCommand | undefined

  constructor(terminal: Terminal, now: () => number) {
    this.#terminal = terminal
    this.#now = now
    for (const number of [133, 633])
      terminal.parser.registerOscHandler(number, (data) => {
        this.#take(data)
        return true
      })
  }

  #take(data: string): void {
    const [kind, ...rest] = data.split(';')
    if (kind === 'A') this.#forget()
    else if (kind === 'B') this.#begin()
    else if (kind === 'E') this.#told = unescaped(rest[0] ?? '')
    else if (kind === 'C') this.#run(rest.find((part) => part.startsWith('cmdline_url='))?.slice('cmdline_url='.length))
    else if (kind === 'D') this.#end(rest[0])
  }

  #forget(): void {
    this.#input?.marker.dispose()
    this.#input = undefined
    this.#told = undefined
  }

  #begin(): void {
    this.#input?.marker.dispose()
    const marker = this.#terminal.registerMarker(0)
    this.#input = marker && { marker, column: this.#terminal.buffer.active.cursorX }
  }

  #run(encoded: string | undefined): void {
    const text = printable(this.#told ?? decoded(encoded) ?? this.#typed())
    this.#forget()
    if (text === '' || this.list.length >= commandLimit) return
    this.#running = { at: this.#now(), text }
    this.list.push(this.#running)
  }

  #end(code: string | undefined): void {
    if (this.#running && code !== undefined && /^\d{1,3}$/.test(code)) this.#running.exit = Number(code)
    this.#running = undefined
  }

  /** What stands between the prompt and the cursor. */
  #typed(): string {
    const { active } = this.#terminal.buffer
    const begin = this.#input?.marker.line ?? -1
    if (!this.#input || begin < 0) return ''
    const end = active.baseY + active.cursorY
    let text = ''
    for (let row = begin; row <= end && text.length < textLimit; row += 1) {
      const line = active.getLine(row)
      if (!line) break
      const from = row === begin ? this.#input.column : 0
      const part = line.translateToString(true, from, row === end ? active.cursorX : undefined)
      text += line.isWrapped || row === begin ? part : `\n${part}`
    }
    return text
  }
}

const printable = (text: string): string =>
  text
    .replaceAll(/\p{C}+|\s+/gu, ' ')
    .trim()
    .slice(0, textLimit)

/** `\\` and `\x3b`, as an editor's shell writes what would end the sequence. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\(?:\\|x([\da-f]{2}))/gi, (_, hex: string | undefined) =>
    hex === undefined ? '\\' : String.fromCharCode(parseInt(hex, 16)),
  )

function decoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined // it is not what it says it is
  }
}

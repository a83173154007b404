/** A line as it was readable, and when its last character appeared (ms). */
export interface OutputLine {
  at: number
  text: string
}

const longestLine = 4096

/** Controls of one character that begin a string, as escape and a letter do. */
const eightBitStrings = new Set([0x90, 0x98, 0x9d, 0x9e, 0x9f])

type Mode = 'text' | 'escape' | 'charset' | 'sequence' | 'string' | 'string-escape'

/**
 * Makes readable lines of terminal output as it comes: escape sequences vanish, a backspace takes a character back,
 * a carriage return alone starts the line over. Cursor movement is not followed, so full-screen programs give lines
 * that are only roughly what was on the screen.
 */
export class OutputLines {
  readonly #take: (line: OutputLine) => void
  readonly #decoder = new TextDecoder()
  #mode: Mode = 'text'
  #line = ''
  #at = 0
  #returned = false

  constructor(take: (line: OutputLine) => void) {
    this.#take = take
  }

  push(bytes: Uint8Array, at: number): void {
    for (const character of this.#decoder.decode(bytes, { stream: true })) this.#next(character, at)
  }

  end(): void {
    this.#finish()
  }

  /** Whether no escape sequence is open: an emulator that starts here understands what follows. */
  get betweenSequences(): boolean {
    return this.#mode === 'text'
  }

  #next(character: string, at: number): void {
    const code = character.codePointAt(0) ?? 0
    switch (this.#mode) {
      case 'escape':
        this.#mode =
          character === '[' ? 'sequence' : ']PX^_'.includes(character) ? 'string' : '()*+#%'.includes(character) ? 'charset' : 'text'
        return
      case 'charset':
        this.#mode = 'text'
        return
      case 'sequence':
        if (code >= 0x40 && code <= 0x7e) this.#mode = 'text'
        return
      case 'string':
        if (code === 0x07 || code === 0x9c) this.#mode = 'text'
        else if (code === 0x1b) this.#mode = 'string-escape'
        return
      case 'string-escape':
        this.#mode = character === '\\' ? 'text' : 'string'
        return
      case 'text':
        this.#text(character, code, at)
    }
  }

  #text(character: string, code: number, at: number): void {
    if (code === 0x1b) this.#mode = 'escape'
    else if (code === 0x9b) this.#mode = 'sequence'
    else if (eightBitStrings.has(code)) this.#mode = 'string'
    else if (code === 0x0a) this.#finish()
    else if (code === 0x0d) this.#returned = true
    else if (code === 0x08) this.#line = this.#line.slice(0, -1)
    else if ((code >= 0x20 && (code < 0x7f || code >= 0xa0)) || code === 0x09) {
      if (this.#returned || this.#line.length >= longestLine) this.#finish()
      this.#line += code === 0x09 ? ' ' : character
      this.#at = at
    }
  }

  #finish(): void {
    const text = this.#line.trimEnd()
    if (text !== '') this.#take({ at: this.#at, text })
    this.#line = ''
    this.#returned = false
  }
}

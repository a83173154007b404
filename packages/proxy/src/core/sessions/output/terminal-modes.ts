/**
 * What programs have switched on a terminal, gathered from the output that is no longer kept: the part of its state that
 * an emulator cannot guess from the rest of the output. Costs a search for escapes and little more.
 */

const escape = 0x1b
const bell = 0x07
/** Longer ones change nothing that matters here. */
const longestSequence = 64

/**
 * Cursor keys (1), reverse video (5), origin (6), wrap (7), mouse (9, 1000 to 1006, 1015, 1016), blinking (12), cursor (25),
 * alternate screen (47, 1047, 1049), bracketed paste (2004).
 */
const tracked = new Set([1, 5, 6, 7, 9, 12, 25, 45, 47, 66, 1000, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 1047, 1049, 2004])
const alternateScreens = [47, 1047, 1049]

export class TerminalModes {
  #modes = new Map<number, boolean>()
  #hasAppKeypad: boolean | undefined
  /** Parameters of the scrolling region. */
  #margins = ''
  /** An escape sequence that has begun, or the beginning of a string such as a title. */
  #begun: number[] = []
  #isInString = false

  get isAlternateScreen(): boolean {
    return alternateScreens.some((mode) => this.#modes.get(mode) === true)
  }

  copy(): TerminalModes {
    const copy = new TerminalModes()
    copy.#modes = new Map(this.#modes)
    copy.#hasAppKeypad = this.#hasAppKeypad
    copy.#margins = this.#margins
    copy.#begun = [...this.#begun]
    copy.#isInString = this.#isInString
    return copy
  }

  feed(bytes: Uint8Array): void {
    let at = 0
    while (at < bytes.length) {
      if (this.#isInString) at = this.#skipString(bytes, at)
      else if (this.#begun.length > 0) {
        this.#take(bytes[at] ?? 0)
        at += 1
      } else {
        const next = bytes.indexOf(escape, at)
        if (next === -1) return
        this.#begun = [escape]
        at = next + 1
      }
    }
  }

  /** What brings a fresh terminal into this state, up to and with a sequence that has begun. */
  toBytes(): Buffer {
    // The screen comes first: switching to it may reset what follows.
    const modes = [...this.#modes].toSorted(([a], [b]) => Number(alternateScreens.includes(b)) - Number(alternateScreens.includes(a)))
    const text = [
      '\u001b[m',
      ...modes.map(([mode, isOn]) => `\u001b[?${mode}${isOn ? 'h' : 'l'}`),
      ...(this.#hasAppKeypad === undefined ? [] : [this.#hasAppKeypad ? '\u001b=' : '\u001b>']),
      ...(this.#margins === '' ? [] : [`\u001b[${this.#margins}r`]),
    ].join('')
    return Buffer.concat([Buffer.from(text, 'latin1'), Buffer.from(this.#begun)])
  }

  #reset(): void {
    this.#modes.clear()
    this.#hasAppKeypad = undefined
    this.#margins = ''
  }

  #skipString(bytes: Uint8Array, from: number): number {
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (byte !== bell && byte !== escape) continue
      this.#isInString = false
      this.#begun = byte === escape ? [escape] : []
      return at + 1
    }
    return bytes.length
  }

  /** The next byte of a sequence. */
  #take(byte: number): void {
    if (byte === escape) {
      this.#begun = [escape]
      return
    }
    this.#begun.push(byte)
    const kind = this.#begun[1] ?? 0
    // ] P X ^ _ begin a string; [ a control sequence; others in the lower rows take one more byte.
    if (this.#begun.length === 2) {
      if (kind === 0x5d || kind === 0x50 || kind === 0x58 || kind === 0x5e || kind === 0x5f) this.#isInString = true
      else if (kind !== 0x5b && (kind < 0x20 || kind > 0x2f)) this.#end()
      return
    }
    const isLast = kind === 0x5b ? byte >= 0x40 && byte <= 0x7e : byte >= 0x30
    if (isLast || this.#begun.length > longestSequence) this.#end()
  }

  #end(): void {
    const sequence = String.fromCharCode(...this.#begun.slice(1))
    this.#begun = []
    const mode = /^\[\?([\d;]+)([hl])$/.exec(sequence)
    if (mode) {
      for (const number of (mode[1] ?? '').split(';').map(Number)) if (tracked.has(number)) this.#modes.set(number, mode[2] === 'h')
      return
    }
    if (sequence === 'c') this.#reset()
    else if (sequence === '=' || sequence === '>') this.#hasAppKeypad = sequence === '='
    else if (/^\[[\d;]*r$/.test(sequence)) this.#margins = sequence.slice(1, -1)
    else if (sequence === '[!p') {
      for (const number of this.#modes.keys()) if (!alternateScreens.includes(number)) this.#modes.delete(number)
      this.#hasAppKeypad = undefined
      this.#margins = ''
    }
  }
}

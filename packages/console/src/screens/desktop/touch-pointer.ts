/**
 * Fingers as a mouse: a tap clicks, one finger that moves drags, one that stays clicks with the right button, and two
 * that move scroll.
 */
export interface TouchPointerOptions {
  move: (x: number, y: number) => void
  button: (button: 'left' | 'right', isDown: boolean) => void
  wheel: (axis: 'vertical' | 'horizontal', delta: number) => void
  /** How long a finger stays for the right button, in milliseconds. */
  hold?: number
}

/** Pixels that a finger moves without meaning it. */
const slack = 8

interface Finger {
  x: number
  y: number
}

export class TouchPointer {
  readonly #options: TouchPointerOptions
  readonly #fingers = new Map<number, Finger>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** What the fingers mean; undefined while that is open. */
  #meaning: 'drag' | 'scroll' | 'held' | undefined

  constructor(options: TouchPointerOptions) {
    this.#options = options
  }

  down(id: number, x: number, y: number): void {
    this.#fingers.set(id, { x, y })
    clearTimeout(this.#timer)
    if (this.#fingers.size > 1) {
      if (this.#meaning === 'drag') this.#options.button('left', false)
      this.#meaning = 'scroll'
      return
    }
    this.#meaning = undefined
    this.#options.move(x, y)
    this.#timer = setTimeout(() => {
      this.#meaning = 'held'
      this.#click('right')
    }, this.#options.hold ?? 600)
  }

  move(id: number, x: number, y: number): void {
    const finger = this.#fingers.get(id)
    if (!finger) return
    const [dx, dy] = [x - finger.x, y - finger.y]
    if (this.#meaning === undefined) {
      if (Math.hypot(dx, dy) < slack) return
      clearTimeout(this.#timer)
      this.#meaning = 'drag'
      this.#options.button('left', true)
    }
    this.#fingers.set(id, { x, y })
    if (this.#meaning === 'drag') return this.#options.move(x, y)
    // One of the fingers scrolls for both; what is below follows it.
    if (this.#meaning !== 'scroll' || this.#fingers.keys().next().value !== id) return
    if (dy !== 0) this.#options.wheel('vertical', dy)
    if (dx !== 0) this.#options.wheel('horizontal', dx)
  }

  up(id: number): void {
    if (!this.#fingers.delete(id)) return
    clearTimeout(this.#timer)
    if (this.#meaning === 'drag') this.#options.button('left', false)
    else if (this.#meaning === undefined) this.#click('left')
    // The fingers that are left mean nothing until all are gone.
    this.#meaning = this.#fingers.size > 0 ? 'scroll' : undefined
  }

  #click(button: 'left' | 'right'): void {
    this.#options.button(button, true)
    this.#options.button(button, false)
  }
}

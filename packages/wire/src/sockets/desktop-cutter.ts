/** What a console sends, cut out of the stream of its frames; what a recording holds is cut in the same way. */
import { clipboardLimit, desktopMaxDimension } from '../limits.ts'
import { DesktopMessageError } from './desktop-message-error.ts'
import { desktopTypes, mouseButtons, pictureHeader } from './desktop.ts'
import type { ToDesktop } from './desktop.ts'
import { decodeFileAnswer, fileAnswerLength, isFileAnswer } from './shared-directory.ts'

const decoder = new TextDecoder()
const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Cuts what comes from a console into messages, which are views of what was pushed. Throws DesktopMessageError for what is none. */
export class DesktopMessageCutter {
  #rest: Uint8Array = new Uint8Array()
  #length = 0
  /** So many bytes say more than those that are there. */
  #needed = 1

  push(bytes: Uint8Array): ToDesktop[] {
    let waiting = this.#length === 0 ? bytes : this.#append(bytes)
    const messages: ToDesktop[] = []
    while (waiting.length >= this.#needed) {
      const length = lengthOf(waiting)
      if (waiting.length < length) {
        this.#needed = length
        break
      }
      messages.push(decodeToDesktop(waiting.subarray(0, length)))
      waiting = waiting.subarray(length)
      this.#needed = 1
    }
    // What was cut out of the memory stays as it is.
    if (messages.length > 0 || this.#length === 0) this.#rest = waiting.slice()
    this.#length = waiting.length
    return messages
  }

  #append(bytes: Uint8Array): Uint8Array {
    const length = this.#length + bytes.length
    if (length > this.#rest.length) {
      const larger = new Uint8Array(Math.max(length, this.#rest.length * 2))
      larger.set(this.#rest.subarray(0, this.#length))
      this.#rest = larger
    }
    this.#rest.set(bytes, this.#length)
    return this.#rest.subarray(0, length)
  }
}

/** Bytes of each message of a fixed length. */
const fixedLengths: Readonly<Record<number, number>> = { 1: 9, 3: 9, 4: 3, 5: 6, 8: 4, 32: 5, 37: 5 }
/** Where the length of the text stands in the others. */
const textAt: Readonly<Record<number, number>> = { 6: 1, 7: 1, 10: 2, 11: 9 }

/** Bytes of the message that begins here; so many that more can be said while it is not known. */
function lengthOf(bytes: Uint8Array): number {
  const type = bytes[0] ?? 0
  const fixed = fixedLengths[type]
  if (fixed !== undefined) return fixed
  if (isFileAnswer(type)) return fileAnswerLength(bytes)
  const at = textAt[type]
  if (at === undefined) throw new DesktopMessageError(`the message type ${type} is unknown`)
  if (bytes.length < at + 4) return at + 4
  const length = viewOf(bytes).getUint32(at)
  // Four bytes are the longest that a character has.
  if (length > clipboardLimit * 4) throw new DesktopMessageError('a text is too long')
  return at + 4 + length
}

function decodeToDesktop(bytes: Uint8Array): ToDesktop {
  const view = viewOf(bytes)
  const at = (index: number): number => bytes[index] ?? 0
  switch (at(0)) {
    case desktopTypes.size:
      return { kind: 'size', width: view.getUint32(1), height: view.getUint32(5) }
    case desktopTypes.move:
      return { kind: 'move', x: clamp(view.getUint32(1)), y: clamp(view.getUint32(5)) }
    case desktopTypes.button: {
      const button = mouseButtons[at(1)]
      if (!button) throw new DesktopMessageError(`there is no mouse button ${at(1)}`)
      return { kind: 'button', button, isDown: at(2) === 1 }
    }
    case desktopTypes.key:
      return { kind: 'key', scancode: view.getUint32(1), isDown: at(5) === 1 }
    case desktopTypes.wheel:
      return { kind: 'wheel', axis: at(1) === 0 ? 'vertical' : 'horizontal', delta: view.getInt16(2) }
    case desktopTypes.lockKeys:
      return { kind: 'lockKeys', scroll: at(1) === 1, num: at(2) === 1, caps: at(3) === 1 }
    case desktopTypes.keyboardLayout:
      return { kind: 'keyboardLayout', layout: view.getUint32(1) }
    case desktopTypes.clipboard:
      return { kind: 'clipboard', text: decoder.decode(bytes.subarray(5)) }
    case desktopTypes.user:
      return { kind: 'user', text: decoder.decode(bytes.subarray(5)) }
    case desktopTypes.challenge:
      return { kind: 'challenge', json: decoder.decode(bytes.subarray(6)) }
    case desktopTypes.directory:
      return { kind: 'directory', directory: view.getUint32(5), name: decoder.decode(bytes.subarray(13)) }
    default:
      return { kind: 'file', answer: decodeFileAnswer(bytes) }
  }
}

const clamp = (value: number): number => Math.min(value, desktopMaxDimension)

/** Bytes of the message that a recording goes on with: a size, a picture, or what the pointer did. Undefined while it is not whole. */
export function recordedLength(bytes: Uint8Array): number | undefined {
  if (bytes[0] !== desktopTypes.sizedPicture) return bytes.length === 0 ? undefined : lengthOf(bytes)
  return bytes.length < 5 ? undefined : pictureHeader + viewOf(bytes).getUint32(1)
}

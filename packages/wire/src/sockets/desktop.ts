/**
 * Messages of a desktop session: `type u8 | fields`, big-endian; a text is `length u32 | UTF-8`. To the console, one
 * frame of the socket is one message; from it, frames are a stream of bytes.
 *
 *   1 size       width u32 | height u32                                        6 clipboard  text
 *   2 picture    left, top, right, bottom u32 | PNG to the end                 7 user       text
 *   3 move       x u32 | y u32                                                 8 wheel      axis u8 | delta i16
 *   4 button     0 left, 1 middle, 2 right u8 | 1 down, 0 up u8                9 error      text
 *   5 key        scancode u32 | 1 down, 0 up u8                               10 challenge  'n' u8 | text (JSON)
 *  11 directory  completion u32 | id u32 | text                               28 alert      text | 0 info, 1 warning, 2 fatal u8
 *  12 shared     error u32 | id u32                                           32 lock keys  scroll, num, caps, kana u8
 *  27 picture    length u32 | left, top, right, bottom u32 | PNG              37 keyboard layout u32
 *
 * Those from 13 to 26 ask for files of a shared directory and answer that: shared-directory.ts.
 */
import { DesktopMessageError } from './desktop-message-error.ts'
import { decodeFileRequest, isFileRequest } from './shared-directory.ts'
import type { FileAnswer, FileRequest } from './shared-directory.ts'

export const desktopTypes = {
  size: 1,
  picture: 2,
  move: 3,
  button: 4,
  key: 5,
  clipboard: 6,
  user: 7,
  wheel: 8,
  error: 9,
  challenge: 10,
  directory: 11,
  shared: 12,
  sizedPicture: 27,
  alert: 28,
  lockKeys: 32,
  keyboardLayout: 37,
} as const
/** What a console of the first generation knows; a type above that it takes for a mistake. */
const highestKnown = 28
export const alertSeverities = ['info', 'warning', 'error'] as const
export type AlertSeverity = (typeof alertSeverities)[number]
export const mouseButtons = ['left', 'middle', 'right'] as const
export type MouseButton = (typeof mouseButtons)[number]
const webauthn = 'n'.charCodeAt(0)

interface Rectangle {
  left: number
  top: number
  /** The first column, and row, that is not part of it. */
  right: number
  bottom: number
}

/** What goes to the console. */
export type ToConsole =
  | { kind: 'size'; width: number; height: number }
  | ({ kind: 'picture'; png: Uint8Array } & Rectangle)
  | { kind: 'clipboard'; text: string }
  | { kind: 'challenge'; json: string }
  | { kind: 'alert'; text: string; severity: AlertSeverity }
  /** The desktop has the directory; not so when it failed. */
  | { kind: 'shared'; hasFailed: boolean; directory: number }
  | { kind: 'file'; request: FileRequest }
  /** Known, and nothing for a console like ours. */
  | { kind: 'other' }

/** What comes from it. */
export type ToDesktop =
  | { kind: 'size'; width: number; height: number }
  | { kind: 'move'; x: number; y: number }
  | { kind: 'button'; button: MouseButton; isDown: boolean }
  | { kind: 'key'; scancode: number; isDown: boolean }
  | { kind: 'clipboard'; text: string }
  | { kind: 'user'; text: string }
  | { kind: 'wheel'; axis: 'vertical' | 'horizontal'; delta: number }
  | { kind: 'challenge'; json: string }
  | { kind: 'directory'; directory: number; name: string }
  | { kind: 'file'; answer: FileAnswer }
  | { kind: 'lockKeys'; scroll: boolean; num: boolean; caps: boolean }
  | { kind: 'keyboardLayout'; layout: number }

const encoder = new TextEncoder()
const decoder = new TextDecoder()

function u32s(type: number, ...values: number[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(1 + values.length * 4)
  const view = new DataView(bytes.buffer)
  view.setUint8(0, type)
  for (const [index, value] of values.entries()) view.setUint32(1 + index * 4, value)
  return bytes
}

function withText(type: number, before: readonly number[], text: string, after: readonly number[] = []): Uint8Array<ArrayBuffer> {
  const content = encoder.encode(text)
  const from = 1 + before.length
  const bytes = new Uint8Array(from + 4 + content.length + after.length)
  bytes.set([type, ...before])
  new DataView(bytes.buffer).setUint32(from, content.length)
  bytes.set(content, from + 4)
  bytes.set(after, from + 4 + content.length)
  return bytes
}

export const encodeDesktopSize = (width: number, height: number): Uint8Array<ArrayBuffer> => u32s(desktopTypes.size, width, height)

/** Bytes before the PNG of a picture. */
export const pictureHeader = 21
export function encodePicture({ left, top, right, bottom }: Rectangle, png: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(pictureHeader + png.length)
  bytes.set(u32s(desktopTypes.sizedPicture, png.length, left, top, right, bottom))
  bytes.set(png, pictureHeader)
  return bytes
}

export const encodeClipboard = (text: string): Uint8Array<ArrayBuffer> => withText(desktopTypes.clipboard, [], text)
export const encodeDesktopChallenge = (json: string): Uint8Array<ArrayBuffer> => withText(desktopTypes.challenge, [webauthn], json)
export const encodeAlert = (text: string, severity: AlertSeverity): Uint8Array<ArrayBuffer> =>
  withText(desktopTypes.alert, [], text, [alertSeverities.indexOf(severity)])
export const encodeMove = (x: number, y: number): Uint8Array<ArrayBuffer> => u32s(desktopTypes.move, x, y)
export const encodeButton = (button: MouseButton, isDown: boolean): Uint8Array<ArrayBuffer> =>
  new Uint8Array([desktopTypes.button, mouseButtons.indexOf(button), Number(isDown)])

export function encodeKey(scancode: number, isDown: boolean): Uint8Array<ArrayBuffer> {
  return new Uint8Array([...u32s(desktopTypes.key, scancode), Number(isDown)])
}

export function encodeWheel(axis: 'vertical' | 'horizontal', delta: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array([desktopTypes.wheel, axis === 'vertical' ? 0 : 1, 0, 0])
  new DataView(bytes.buffer).setInt16(2, Math.max(-0x7fff, Math.min(0x7fff, Math.round(delta))))
  return bytes
}

export function encodeDirectory(directory: number, name: string): Uint8Array<ArrayBuffer> {
  return withText(desktopTypes.directory, [...u32s(0, 0, directory).subarray(1)], name)
}
export const encodeShared = (directory: number): Uint8Array<ArrayBuffer> => u32s(desktopTypes.shared, 0, directory)

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** Texts at the end of a message reach to the end of the frame, whatever their length says. */
export function decodeToConsole(bytes: Uint8Array): ToConsole {
  const view = viewOf(bytes)
  const type = bytes[0] ?? 0
  const need = (length: number): void => {
    if (bytes.length < length) throw new DesktopMessageError(`a message of type ${type} ends early`)
  }
  const text = (from: number): string => {
    need(from + 4)
    return decoder.decode(bytes.subarray(from + 4))
  }
  const rectangle = (from: number): Rectangle => {
    need(from + 16)
    return { left: view.getUint32(from), top: view.getUint32(from + 4), right: view.getUint32(from + 8), bottom: view.getUint32(from + 12) }
  }
  switch (type) {
    case desktopTypes.size:
      need(9)
      return { kind: 'size', width: view.getUint32(1), height: view.getUint32(5) }
    case desktopTypes.picture:
      return { kind: 'picture', ...rectangle(1), png: bytes.subarray(17) }
    case desktopTypes.sizedPicture:
      return { kind: 'picture', ...rectangle(5), png: bytes.subarray(pictureHeader) }
    case desktopTypes.clipboard:
      return { kind: 'clipboard', text: text(1) }
    case desktopTypes.error:
      return { kind: 'alert', text: text(1), severity: 'error' }
    case desktopTypes.challenge:
      if (bytes[1] !== webauthn) throw new DesktopMessageError('the proxy asks for a kind of second factor that is not known')
      return { kind: 'challenge', json: text(2) }
    case desktopTypes.alert: {
      need(6)
      const severity = alertSeverities[bytes[bytes.length - 1] ?? 0]
      if (!severity) throw new DesktopMessageError('an alert has no known severity')
      return { kind: 'alert', text: decoder.decode(bytes.subarray(5, -1)), severity }
    }
    case desktopTypes.shared:
      need(9)
      return { kind: 'shared', hasFailed: view.getUint32(1) !== 0, directory: view.getUint32(5) }
    default:
      if (isFileRequest(type)) return { kind: 'file', request: decodeFileRequest(bytes) }
      if (type === 0 || type > highestKnown) throw new DesktopMessageError(`the message type ${type} is unknown`)
      return { kind: 'other' }
  }
}

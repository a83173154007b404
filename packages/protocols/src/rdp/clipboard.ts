/** The clipboard's channel (MS-RDPECLIP), for text: one side tells what it has, the other fetches it when somebody pastes. */
import { RdpReader, u16, u32, utf16 } from './bytes.ts'

export const clipboardChannel = 'cliprdr'
const types = { ready: 1, formats: 2, formatsAnswer: 3, request: 4, answer: 5, capabilities: 7 } as const
const ok = 1
const fail = 2
const unicodeText = 13
const shortNameLength = 32

export type ClipboardMessage =
  /** The desktop waits to be told what the client has. */
  | { kind: 'ready' }
  | { kind: 'formats'; hasText: boolean }
  | { kind: 'formatsAnswer' }
  /** Somebody pastes on the desktop. */
  | { kind: 'request'; isText: boolean }
  /** Undefined when the desktop has nothing after all. */
  | { kind: 'text'; text: string | undefined }
  | { kind: 'other' }

const message = (type: number, flag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  return Buffer.concat([u16(type, flag), u32(body.length), body])
}

/** Short names of formats, text only. */
export const encodeClipboardCapabilities = (): Buffer => message(types.capabilities, 0, u16(1, 0, 1, 12), u32(2, 0))
export const encodeFormats = (hasText: boolean): Buffer =>
  message(types.formats, 0, ...(hasText ? [u32(unicodeText), Buffer.alloc(shortNameLength)] : []))
export const encodeFormatsAnswer = (): Buffer => message(types.formatsAnswer, ok)
export const encodeTextRequest = (): Buffer => message(types.request, 0, u32(unicodeText))
/** Lines end as they do on Windows. */
export const encodeText = (text: string | undefined): Buffer =>
  text === undefined ? message(types.answer, fail) : message(types.answer, ok, utf16(`${text.replaceAll(/\r?\n/g, '\r\n')}\0`))

/** Throws ProtocolError. */
export function parseClipboard(data: Buffer): ClipboardMessage {
  const reader = new RdpReader(data, 'message of the clipboard')
  const type = reader.u16()
  const flag = reader.u16()
  const body = new RdpReader(reader.take(Math.min(reader.u32(), reader.remaining)), 'message of the clipboard')
  switch (type) {
    case types.ready:
      return { kind: 'ready' }
    case types.formats: {
      let hasText = false
      while (body.remaining >= 4 + shortNameLength) {
        hasText ||= body.u32() === unicodeText
        body.skip(shortNameLength)
      }
      return { kind: 'formats', hasText }
    }
    case types.formatsAnswer:
      return { kind: 'formatsAnswer' }
    case types.request:
      return { kind: 'request', isText: body.u32() === unicodeText }
    case types.answer: {
      const text = body
        .rest()
        .toString('utf16le')
        .replace(/\0[^]*$/, '')
        .replaceAll('\r\n', '\n')
      return { kind: 'text', text: flag & ok ? text : undefined }
    }
    default:
      return { kind: 'other' }
  }
}

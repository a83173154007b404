/** Messages on the picture's channel once the licence is settled: control, data, and the word why a session ends. */
import { RdpReader, u16, u32 } from './bytes.ts'

const controlTypes = { demandActive: 1, confirmActive: 3, deactivateAll: 6, data: 7, redirect: 10 } as const
const dataTypes = {
  update: 0x02,
  control: 0x14,
  synchronize: 0x1f,
  refreshRectangle: 0x21,
  shutdownDenied: 0x25,
  saveSession: 0x26,
  fontList: 0x27,
  fontMap: 0x28,
  errorInfo: 0x2f,
} as const

export type ShareMessage =
  | { kind: 'demandActive'; body: Buffer }
  | { kind: 'deactivateAll' }
  | { kind: 'redirect' }
  /** The desktop is ready. */
  | { kind: 'fontMap' }
  | { kind: 'update'; body: Buffer }
  | { kind: 'errorInfo'; code: number }
  | { kind: 'other' }

/** Throws ProtocolError. */
export function parseShare(data: Buffer): ShareMessage {
  const reader = new RdpReader(data, 'message of the desktop')
  reader.skip(2)
  const type = reader.u16() & 0x0f
  if (type === controlTypes.deactivateAll) return { kind: 'deactivateAll' } // xrdp ends it here
  if (type === controlTypes.redirect) return { kind: 'redirect' }
  reader.skip(2)
  if (type === controlTypes.demandActive) return { kind: 'demandActive', body: reader.rest() }
  if (type !== controlTypes.data) return { kind: 'other' }
  const dataType = reader.skip(8).u8()
  const isCompressed = (reader.u8() & 0x20) !== 0
  reader.skip(2)
  if (isCompressed) throw reader.malformed('it is compressed, which nobody asked for')
  switch (dataType) {
    case dataTypes.update:
      return { kind: 'update', body: reader.rest() }
    case dataTypes.fontMap:
      return { kind: 'fontMap' }
    case dataTypes.errorInfo:
      return { kind: 'errorInfo', code: reader.u32() }
    default:
      return { kind: 'other' }
  }
}

const encodeControl = (type: number, user: number, body: Uint8Array): Buffer =>
  Buffer.concat([u16(body.length + 6, 0x10 | type, user), body])

export const encodeConfirm = (user: number, body: Uint8Array): Buffer => encodeControl(controlTypes.confirmActive, user, body)

const encodeData = (user: number, shareId: number, type: number, body: Uint8Array): Buffer =>
  encodeControl(
    controlTypes.data,
    user,
    Buffer.concat([u32(shareId), Buffer.from([0, 1]), u16(body.length + 18), Buffer.from([type, 0]), u16(0), body]),
  )

/** What a client says after its capabilities; the server answers with a font map when it is ready. */
export const encodeFinalization = (user: number, shareId: number): Buffer[] => [
  encodeData(user, shareId, dataTypes.synchronize, u16(1, 1002)),
  encodeData(user, shareId, dataTypes.control, u16(4, 0, 0, 0)),
  encodeData(user, shareId, dataTypes.control, u16(1, 0, 0, 0)),
  encodeData(user, shareId, dataTypes.fontList, u16(0, 0, 3, 50)),
]

/** Asks for the whole picture again. */
export const encodeRefresh = (user: number, shareId: number, width: number, height: number): Buffer =>
  encodeData(user, shareId, dataTypes.refreshRectangle, Buffer.concat([Buffer.from([1, 0, 0, 0]), u16(0, 0, width - 1, height - 1)]))

const reasons: Readonly<Record<number, string>> = {
  0x01: 'An administrator of the desktop ended the session.',
  0x02: 'An administrator of the desktop signed the person out.',
  0x03: 'The session was idle for longer than the desktop allows.',
  0x04: 'The session lasted longer than the desktop allows.',
  0x05: 'Somebody else connected to the same session of the desktop.',
  0x06: 'The desktop is out of memory.',
  0x07: 'The desktop refused the connection.',
  0x09: 'The login may not connect to the desktop from elsewhere. Make it a member of its remote desktop users.',
  0x0a: 'The desktop wants the credentials anew.',
  0x0b: 'The person disconnected the session on the desktop.',
  0x0c: 'The person signed out on the desktop.',
}

/** Why the desktop ends the session, in words; undefined when the code says nothing. */
export function endReason(code: number): string | undefined {
  if (code === 0) return undefined
  return reasons[code] ?? `The desktop ended the session with error 0x${code.toString(16)}.`
}

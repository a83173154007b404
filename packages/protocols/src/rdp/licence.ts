/** The word on licences, between signing in and the first picture. */
import { randomBytes } from 'node:crypto'
import { ProtocolError } from '../protocol-error.ts'
import { RdpReader, u16, u32 } from './bytes.ts'

const licencePacket = 0x0080
const types = { request: 0x01, newLicenceRequest: 0x13, errorAlert: 0xff } as const
const validClient = 7
const blobs = { random: 2, userName: 0x0f, machineName: 0x10 } as const
/** Version 3, which knows extended errors. */
const preambleFlags = 0x83
const windowsPlatform = 0x0401_0000

/** Whether a message of the picture's channel is about licences. */
export const isLicence = (data: Buffer): boolean => data.length >= 4 && (data.readUInt16LE(0) & licencePacket) !== 0

/**
 * What is answered: a desktop that asks who wants a licence is told that somebody does, and most let them in then. No
 * answer ends the matter. Throws ProtocolError `rdp/licence` when the desktop insists on a licence that is installed.
 */
export function answerLicence(data: Buffer, user: string): Buffer | undefined {
  const reader = new RdpReader(data, 'word on licences')
  const type = reader.skip(4).u8()
  reader.skip(3)
  if (type === types.request) return encodeNewLicenceRequest(user)
  const code = reader.remaining >= 4 ? reader.u32() : 0
  if (type === types.errorAlert && code === validClient) return undefined
  throw new ProtocolError(
    'rdp/licence',
    type === types.errorAlert
      ? `The desktop refuses the session for want of a licence (${code}).`
      : 'The desktop insists on a licence for each client, which Sallyport does not install. Use a desktop without licensing by device.',
  )
}

function encodeNewLicenceRequest(user: string): Buffer {
  const blob = (type: number, content: Uint8Array): Buffer => Buffer.concat([u16(type, content.length), content])
  const text = (value: string): Buffer => Buffer.from(`${value}\0`, 'latin1')
  const body = Buffer.concat([
    u32(1, windowsPlatform),
    randomBytes(32),
    // A secret that nobody keeps: no licence is ever decrypted with it.
    blob(blobs.random, randomBytes(72)),
    blob(blobs.userName, text(user)),
    blob(blobs.machineName, text('sallyport')),
  ])
  return Buffer.concat([u16(licencePacket, 0), Buffer.from([types.newLicenceRequest, preambleFlags]), u16(body.length + 4), body])
}

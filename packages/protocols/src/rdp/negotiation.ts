/** X.224: the first packet each way, in which both sides agree on how the connection is secured. */
import { ProtocolError } from '../protocol-error.ts'
import { RdpReader, u16, u32 } from './bytes.ts'
import { encodeTpkt } from './framing.ts'

/** TLS alone, or TLS with the password proved before anything is shown (NLA). */
export const securityProtocols = { tls: 1, hybrid: 2 } as const

const connectionRequest = 0xe0
const connectionConfirm = 0xd0
const negotiationResponse = 2
const negotiationFailure = 3

export function encodeConnectionRequest(protocols: number, cookie: string): Buffer {
  // Load balancers in front of desktops read the name; it is cut as Windows cuts it.
  const name = cookie.replaceAll(/[^\w.@-]/g, '').slice(0, 9)
  const line = name === '' ? Buffer.alloc(0) : Buffer.from(`Cookie: mstshash=${name}\r\n`, 'latin1')
  const negotiation = Buffer.concat([Buffer.from([1, 0]), u16(8), u32(protocols)])
  const length = 6 + line.length + negotiation.length
  return encodeTpkt(Buffer.from([length, connectionRequest, 0, 0, 0, 0, 0]), line, negotiation)
}

const failures: Readonly<Record<number, string>> = {
  1: 'it wants TLS, which it was offered',
  2: 'it does not allow TLS',
  3: 'it has no certificate for TLS',
  4: 'it found the request inconsistent',
  5: 'it wants network level authentication (NLA), for which the proxy needs the password of the login',
  6: 'it wants TLS with a certificate of the client',
}

/** The protocol that the desktop chose. Throws ProtocolError `rdp/negotiation` with its reason when it chose none. */
export function parseConnectionConfirm(body: Buffer): number {
  const reader = new RdpReader(body, 'answer to the connection request')
  reader.skip(1)
  if (reader.u8() !== connectionConfirm) throw reader.malformed('it is no confirmation')
  reader.skip(5)
  // Desktops from before TLS say nothing.
  if (reader.remaining === 0) throw new ProtocolError('rdp/negotiation', 'The desktop offers no TLS.')
  const type = reader.u8()
  const value = reader.skip(3).u32()
  if (type === negotiationFailure)
    throw new ProtocolError('rdp/negotiation', `The desktop refuses: ${failures[value] ?? `reason ${value}`}.`)
  if (type !== negotiationResponse) throw reader.malformed('its choice cannot be read')
  if (value !== securityProtocols.tls && value !== securityProtocols.hybrid)
    throw new ProtocolError('rdp/negotiation', 'The desktop offers no TLS.')
  return value
}

/** The beginning of every connection: which protection, TLS with a certificate that is checked, and the password's proof. */
import type { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { connect } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { CredSsp, tryCutRequest } from '@sallyport/protocols/rdp/credssp.ts'
import { readDer, readDerChildren } from '@sallyport/protocols/rdp/der.ts'
import { encodeConnectionRequest, parseConnectionConfirm, securityProtocols } from '@sallyport/protocols/rdp/negotiation.ts'
import { DesktopError } from '../desktop-error.ts'
import { ByteSource } from './byte-source.ts'

export interface Credentials {
  domain: string
  user: string
  /** Without one the desktop asks on its own screen. */
  password: string | undefined
}

export interface SecureOptions {
  stream: Duplex
  host: string
  credentials: Credentials
  /** Throws when the certificate is not the desktop's. It is asked before anything secret is sent. */
  checkCertificate: (certificate: X509Certificate) => void | Promise<void>
}

export interface SecureConnection {
  tls: TLSSocket
  source: ByteSource
  /** The protection that the desktop chose. */
  protocol: number
}

const tpktHeader = 4
const handshakeLimit = 64 * 1024

/** Rejects with DesktopError or ProtocolError. */
export async function secure({ stream, host, credentials, checkCertificate }: SecureOptions): Promise<SecureConnection> {
  const { password } = credentials
  const offered = password === undefined ? securityProtocols.tls : securityProtocols.tls | securityProtocols.hybrid
  stream.write(encodeConnectionRequest(offered, credentials.user))
  const protocol = parseConnectionConfirm((await readFirstPacket(stream)).subarray(tpktHeader))
  if ((protocol & offered) === 0) throw new DesktopError('protocol', 'The desktop chose a protection that it was not offered.')
  // Whether the certificate is the right one is decided right below; desktops sign theirs themselves.
  const tls = connect({ socket: stream, rejectUnauthorized: false, ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }) })
  try {
    await once(tls, 'secureConnect')
    const certificate = tls.getPeerX509Certificate()
    if (!certificate) throw new DesktopError('certificate', 'The desktop shows no certificate.')
    await checkCertificate(certificate)
    const source = new ByteSource(tls)
    if (protocol === securityProtocols.hybrid && password !== undefined)
      await proveCredentials(tls, source, { ...credentials, password, target: `TERMSRV/${host}` }, certificate)
    return { tls, source, protocol }
  } catch (error) {
    tls.destroy()
    throw error
  }
}

async function proveCredentials(
  tls: TLSSocket,
  source: ByteSource,
  login: ConstructorParameters<typeof CredSsp>[0],
  certificate: X509Certificate,
): Promise<void> {
  const credSsp = new CredSsp(login, publicKeyBits(certificate))
  tls.write(credSsp.start())
  for (let round = 0; ; round += 1) {
    const request = await source.message(tryCutRequest, handshakeLimit).catch((cause: unknown) => {
      // Many desktops say no more than that.
      if (round === 0 || !(cause instanceof DesktopError)) throw cause
      throw new DesktopError('refused', 'The desktop refuses the user name or the password.', { cause })
    })
    const { message, isLast } = credSsp.answer(request)
    tls.write(message)
    if (isLast) return
  }
}

/** The key as its certificate has it, without the name of its algorithm. */
function publicKeyBits(certificate: X509Certificate): Buffer {
  const [, bits] = readDerChildren(readDer(certificate.publicKey.export({ type: 'spki', format: 'der' })).body)
  if (!bits) throw new DesktopError('certificate', 'The certificate of the desktop has no key.')
  return bits.body.subarray(1)
}

/** Nothing follows the first packet before TLS, so nothing is read too far. */
function readFirstPacket(stream: Duplex): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0)
    const settle = (act: () => void): void => {
      stream.off('readable', onReadable).off('end', onEnd).off('close', onEnd).off('error', reject)
      act()
    }
    const onEnd = (): void =>
      settle(() => reject(new DesktopError('refused', 'The desktop closed the connection at once. Is it an RDP server?')))
    const onReadable = (): void => {
      for (let chunk: unknown = stream.read(); chunk instanceof Buffer; chunk = stream.read()) bytes = Buffer.concat([bytes, chunk])
      if (bytes.length > 0 && bytes[0] !== 3)
        return settle(() => reject(new DesktopError('protocol', 'There is no RDP server at the address of the desktop.')))
      const length = bytes.length >= tpktHeader ? bytes.readUInt16BE(2) : undefined
      if (length !== undefined && bytes.length >= length) settle(() => resolve(bytes.subarray(0, length)))
    }
    stream.on('readable', onReadable).on('end', onEnd).on('close', onEnd).on('error', reject)
  })
}

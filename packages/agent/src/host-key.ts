import type { KeyObject } from 'node:crypto'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { keyType, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { SshReader } from '@sallyport/protocols/ssh/wire.ts'
import type { Connection } from 'ssh2'
import ssh2 from 'ssh2'

/** How a host proves itself: its key, and the certificate of the cluster's host authority over it. */
export interface HostIdentity {
  readonly privateKey: KeyObject
  readonly certificate: Certificate
}

interface Protocol {
  _hostKeys: Record<string, unknown>
  _kex: { negotiated: { serverHostKey: string } }
}

/** ssh2 knows a parsed key by a private symbol; a fixed, well-formed key shows it. */
const parsedKeySymbol = ((): symbol => {
  const sample = ssh2.utils.parseKey('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAz/GT9OKJtI7zF2ZMdPDfd/u1fGG/XwFZjMVqma4XS9')
  const found = Object.getOwnPropertySymbols(sample).find((symbol) => symbol.description === 'Decrypted Key')
  if (!found) throw new Error('ssh2 changed inside (its mark of parsed keys). Install the version that package.json names.')
  return found
})()

/** What ssh2 takes for a private host key. It sends the certificate as the key and signs with the key in it. */
export class CertifiedHostKey {
  readonly type: string
  readonly #identity: HostIdentity
  readonly #onSign: (plainType: string) => void

  constructor(identity: HostIdentity, onSign: (plainType: string) => void = () => undefined) {
    this.#identity = identity
    this.#onSign = onSign
    this.type = identity.certificate.algorithm
    Object.defineProperty(this, parsedKeySymbol, { value: true })
  }

  getPublicSSH(): Buffer {
    return this.#identity.certificate.blob
  }

  getPrivatePEM(): string {
    return ''
  }

  sign(data: Buffer): Buffer {
    const { privateKey } = this.#identity
    this.#onSign(keyType(privateKey))
    const reader = new SshReader(signSsh(privateKey, data), 'signature')
    reader.string()
    return reader.string()
  }
}

function protocolOf(connection: Connection): Protocol {
  const protocol: Partial<Protocol> | undefined = Reflect.get(connection, '_protocol')
  if (typeof protocol?._hostKeys !== 'object' || !('_kex' in protocol))
    throw new Error('ssh2 changed inside (its key exchange). Install the version that package.json names.')
  // @ts-expect-error -- checked above as far as it can be before the key exchange has begun.
  return protocol
}

/**
 * Lets this connection prove the host with that identity. The algorithm agreed on is the certificate's;
 * the signature's has to be the plain key's, so it is renamed when ssh2 signs, at each key exchange.
 */
export function presentHostCertificate(connection: Connection, identity: HostIdentity): void {
  const protocol = protocolOf(connection)
  const key = new CertifiedHostKey(identity, (plainType) => {
    protocol._kex.negotiated.serverHostKey = plainType
  })
  protocol._hostKeys = { [key.type]: key }
}

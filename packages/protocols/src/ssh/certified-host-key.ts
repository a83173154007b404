/**
 * How a server on the library ssh2 proves itself with a host certificate, of which the library knows nothing. Two of its
 * inner fields are touched; its version is pinned, and what was expected of it is checked.
 */
import type { KeyObject } from 'node:crypto'
import type { Certificate } from './certificate.ts'
import { keyType, signSsh } from './keys.ts'
import { SshReader } from './wire.ts'

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
export function findParsedKeySymbol(parseKey: (line: string) => unknown): symbol {
  const sample = parseKey('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAz/GT9OKJtI7zF2ZMdPDfd/u1fGG/XwFZjMVqma4XS9')
  const symbols = typeof sample === 'object' && sample !== null ? Object.getOwnPropertySymbols(sample) : []
  const found = symbols.find((symbol) => symbol.description === 'Decrypted Key')
  if (!found) throw new Error('ssh2 changed inside (its mark of parsed keys). Install the version that package.json names.')
  return found
}

/** What ssh2 takes for a private host key. It sends the certificate as the key and signs with the key in it. */
export class CertifiedHostKey {
  readonly type: string
  readonly #identity: HostIdentity
  readonly #onSign: (plainType: string) => void

  constructor(identity: HostIdentity, parsedKeySymbol: symbol, onSign: (plainType: string) => void = () => undefined) {
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

function protocolOf(connection: object): Protocol {
  const protocol: Partial<Protocol> | undefined = Reflect.get(connection, '_protocol')
  if (typeof protocol?._hostKeys !== 'object' || !('_kex' in protocol))
    throw new Error('ssh2 changed inside (its key exchange). Install the version that package.json names.')
  // @ts-expect-error -- checked above as far as it can be before the key exchange has begun.
  return protocol
}

/**
 * Lets this connection of ssh2's server prove the host with that identity. The algorithm agreed on is the certificate's;
 * the signature's has to be the plain key's, so it is renamed when ssh2 signs, at each key exchange.
 */
export function presentHostCertificate(connection: object, identity: HostIdentity, parsedKeySymbol: symbol): void {
  const protocol = protocolOf(connection)
  const key = new CertifiedHostKey(identity, parsedKeySymbol, (plainType) => {
    protocol._kex.negotiated.serverHostKey = plainType
  })
  protocol._hostKeys = { [key.type]: key }
}

import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import type { Duplex } from 'node:stream'
import { certificateAlgorithms, certificateSuffix, issueCertificate, parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { encodePublicKey, keyType, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { encodeString } from '@sallyport/protocols/ssh/wire.ts'
import type * as Ssh2 from 'ssh2'

/**
 * Teaches stock ssh2 OpenSSH certificates. Three of its internals are used, so its version is pinned and
 * checked, and what depends on them is tried once when this file loads:
 *
 * - parseDERKey gets a host certificate and answers the plain key in it;
 * - Protocol.authPK writes the algorithm of the request into the signature too, where servers want the plain
 *   name, so the request is built here (and signed at once, which saves the query's round trip);
 * - `_kex.negotiated.serverHostKey` becomes the plain name once the host certificate is verified.
 *
 * kex.js binds parseDERKey when it loads, so this is a private copy of ssh2, taken past the module cache:
 * who else loads ssh2, and when, makes no difference.
 */
const supportedVersion = '1.17.0'

/** Who we are to a server: a key and the certificate over it. */
export interface SshIdentity {
  readonly privateKey: KeyObject
  readonly certificate: Certificate
}

interface PacketWriter {
  allocStart: number
  alloc(size: number): Buffer
  finalize(packet: Buffer): Buffer
}
interface Protocol {
  _kex: { sessionID: Buffer; negotiated: { serverHostKey: string } } | undefined
  _packetRW: { write: PacketWriter }
  _authsQueue: string[]
  authPK(user: string, key: unknown, algorithm?: unknown, sign?: unknown): void
}
interface ProtocolClass {
  new (config: { onWrite(bytes: Buffer): void; onError(error: Error): void }): Protocol
  readonly prototype: Protocol
}
interface Internals {
  readonly ssh2: typeof Ssh2
  readonly keyParser: { parseDERKey(data: Buffer, type: string): unknown; parseKey(data: unknown): unknown }
  readonly constants: { SUPPORTED_SERVER_HOST_KEY: string[] }
  readonly Protocol: ProtocolClass
  readonly sendPacket: (protocol: Protocol, packet: Buffer) => void
}

function broken(what: string, cause?: unknown): Error {
  return new Error(
    `ssh2 ${supportedVersion} does not work as expected (${what}). Run npm install again; if it was updated on purpose, adapt ssh2-certificates.ts.`,
    { cause },
  )
}

function loadPrivateCopy(): Internals {
  const require = createRequire(import.meta.url)
  const manifest: { version: string } = require('ssh2/package.json')
  if (manifest.version !== supportedVersion) throw broken(`version ${manifest.version} is installed`)
  const folder = dirname(require.resolve('ssh2/package.json')) + sep
  const entries = (): string[] => Object.keys(require.cache).filter((file) => file.startsWith(folder))
  const others = entries().map((file) => [file, require.cache[file]] as const)
  for (const [file] of others) Reflect.deleteProperty(require.cache, file)
  try {
    const keyParser: Internals['keyParser'] = require('ssh2/lib/protocol/keyParser.js')
    const constants: Internals['constants'] = require('ssh2/lib/protocol/constants.js')
    if (typeof keyParser.parseDERKey !== 'function' || !Array.isArray(constants.SUPPORTED_SERVER_HOST_KEY)) throw broken('its key parser')
    const parsePlain = keyParser.parseDERKey
    keyParser.parseDERKey = (data, type) => {
      if (!type.endsWith(certificateSuffix)) return parsePlain(data, type)
      const { publicKey } = parseCertificate(Buffer.concat([encodeString(type), data]))
      const plainType = keyType(publicKey)
      return parsePlain(encodePublicKey(publicKey).subarray(encodeString(plainType).length), plainType)
    }
    constants.SUPPORTED_SERVER_HOST_KEY.push(...certificateAlgorithms)
    const packets: { sendPacket: Internals['sendPacket'] } = require('ssh2/lib/protocol/utils.js')
    return {
      ssh2: require('ssh2'),
      keyParser,
      constants,
      Protocol: require('ssh2/lib/protocol/Protocol.js'),
      sendPacket: packets.sendPacket,
    }
  } finally {
    for (const file of entries()) Reflect.deleteProperty(require.cache, file)
    for (const [file, module] of others) require.cache[file] = module
  }
}

const { ssh2, keyParser, Protocol, sendPacket } = loadPrivateCopy()

/** ssh2 knows a parsed key by this private symbol; a fixed, well-formed key shows it. */
const parsedKeySymbol = ((): symbol => {
  const sample = keyParser.parseKey('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAz/GT9OKJtI7zF2ZMdPDfd/u1fGG/XwFZjMVqma4XS9')
  const symbols = typeof sample === 'object' && sample !== null ? Object.getOwnPropertySymbols(sample) : []
  const found = symbols.find((symbol) => symbol.description === 'Decrypted Key')
  if (!found) throw broken('its mark of parsed keys')
  return found
})()

/** What ssh2 takes for a parsed public key; its authPK is asked to send it. */
class CertifiedKey {
  readonly identity: SshIdentity
  readonly type: string

  constructor(identity: SshIdentity) {
    this.identity = identity
    this.type = identity.certificate.algorithm
    Object.defineProperty(this, parsedKeySymbol, { value: true })
  }

  getPublicSSH(): Buffer {
    return this.identity.certificate.blob
  }

  isPrivateKey(): boolean {
    return false
  }
}

const messageUserauthRequest = 50
const plainAuthPK = Protocol.prototype.authPK
Protocol.prototype.authPK = function authPK(user, key, algorithm, sign) {
  if (!(key instanceof CertifiedKey)) return plainAuthPK.call(this, user, key, algorithm, sign)
  if (!this._kex) throw broken('authentication before key exchange')
  const { certificate, privateKey } = key.identity
  const request = Buffer.concat([
    Buffer.of(messageUserauthRequest),
    encodeString(user),
    encodeString('ssh-connection'),
    encodeString('publickey'),
    Buffer.of(1),
    encodeString(certificate.algorithm),
    encodeString(certificate.blob),
  ])
  const signature = signSsh(privateKey, Buffer.concat([encodeString(this._kex.sessionID), request]))
  const payload = Buffer.concat([request, encodeString(signature)])
  const writer = this._packetRW.write
  const start = writer.allocStart
  const packet = writer.alloc(payload.length)
  packet.set(payload, start)
  this._authsQueue.push('publickey')
  sendPacket(this, writer.finalize(packet))
}

/** Offers one certified key, once. */
class CertificateAgent extends ssh2.BaseAgent {
  readonly #key: CertifiedKey
  readonly #openKeyAgent: (() => Promise<Duplex>) | undefined

  constructor(identity: SshIdentity, openKeyAgent: (() => Promise<Duplex>) | undefined) {
    super()
    this.#key = new CertifiedKey(identity)
    this.#openKeyAgent = openKeyAgent
  }

  /** Called when the server opens a way to the keys of the user: only in sessions that were told to forward it. */
  override getStream(callback: Ssh2.GetStreamCallback): void {
    const open = async (): Promise<void> => {
      let stream: Duplex
      try {
        if (!this.#openKeyAgent) throw new Error('no agent is forwarded')
        stream = await this.#openKeyAgent()
      } catch (error) {
        return callback(error instanceof Error ? error : new Error(String(error)))
      }
      callback(undefined, stream)
    }
    void open()
  }

  override getIdentities(callback: Ssh2.IdentityCallback): void {
    // @ts-expect-error -- the callback's type knows only ssh2's own classes; what counts is the symbol.
    callback(undefined, [this.#key])
  }

  override sign(): void {
    throw broken('a certified key is signed with in authPK only')
  }
}

export function newSshClient(): Ssh2.Client {
  return new ssh2.Client()
}

/** `openKeyAgent` opens the way to the user's own agent, where it is forwarded. */
export function certificateAgent(identity: SshIdentity, openKeyAgent?: () => Promise<Duplex>): Ssh2.BaseAgent {
  return new CertificateAgent(identity, openKeyAgent)
}

/**
 * To be called in the host verifier after the certificate was found good: the key exchange then expects the
 * signature of the plain key. Needed anew at each key exchange, and ssh2 asks the verifier at each.
 */
export function acceptHostCertificate(client: Ssh2.Client, certificate: Certificate): void {
  const protocol: unknown = Reflect.get(client, '_protocol')
  if (!(protocol instanceof Protocol) || typeof protocol._kex?.negotiated?.serverHostKey !== 'string') throw broken('its key exchange')
  protocol._kex.negotiated.serverHostKey = keyType(certificate.publicKey)
}

/** Tries the hooks without a network: the host key is found in a certificate, the login request comes out as built. */
function selfTest(): void {
  const privateKey = generateKeyPairSync('ed25519').privateKey
  const certificate = issueCertificate(privateKey, privateKey, {
    kind: 'host',
    serial: 1n,
    keyId: 'self-test',
    principals: ['self-test'],
    validAfter: 0,
    validBefore: 1,
  })
  const parsed = keyParser.parseDERKey(certificate.blob.subarray(encodeString(certificate.algorithm).length), certificate.algorithm)
  const plain: unknown =
    typeof parsed === 'object' && parsed !== null && 'getPublicSSH' in parsed && typeof parsed.getPublicSSH === 'function'
      ? parsed.getPublicSSH()
      : undefined
  if (!(plain instanceof Uint8Array) || !encodePublicKey(privateKey).equals(plain)) throw broken('host certificates', parsed)
  const written: Buffer[] = []
  const protocol = new Protocol({ onWrite: (bytes) => written.push(bytes), onError: () => undefined })
  protocol._kex = { sessionID: Buffer.alloc(32), negotiated: { serverHostKey: '' } }
  const key = keyParser.parseKey(new CertifiedKey({ privateKey, certificate }))
  protocol.authPK('self-test', key)
  if (!Buffer.concat(written).includes(Buffer.concat([encodeString(certificate.algorithm), encodeString(certificate.blob)])))
    throw broken('user certificates')
}

try {
  selfTest()
} catch (error) {
  throw error instanceof Error && error.message.startsWith('ssh2 ') ? error : broken('self-test', error)
}

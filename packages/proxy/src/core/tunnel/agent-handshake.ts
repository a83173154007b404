/** The first three lines of a tunnel: the proxy asks, the host proves who it is, the proxy decides. */
import { randomBytes } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { parseCertificateLine } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { hostProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { formatPublicKey, verifySsh } from '@sallyport/protocols/ssh/keys.ts'
import { CertificateRefused, verifyCertificate } from '@sallyport/protocols/ssh/verify-certificate.ts'
import { handshakeLineLimit, helloWire } from '@sallyport/wire/tunnel.ts'
import type { Hello, Verdict } from '@sallyport/wire/tunnel.ts'
import type { Authorities } from '../authorities/authorities.ts'
import type { Clock } from '../clock.ts'
import type { Host, Hosts } from '../join/hosts.ts'
import { readLine, sendLine } from './lines.ts'

/** Why a connection is not taken for a host's; the message is for that host's log. */
export class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused'
  /** Whether the same may be accepted soon. */
  readonly later: boolean

  constructor(message: string, { later = false, ...options }: ErrorOptions & { later?: boolean } = {}) {
    super(message, options)
    this.later = later
  }
}

export interface HandshakeDeps {
  authorities: Pick<Authorities, 'hostCa'>
  hosts: Pick<Hosts, 'find'>
  clock: Clock
  clusterName: string
}

export interface ProvenHost {
  readonly host: Host
  readonly hello: Hello
  readonly certificate: Certificate
}

const nonceBytes = 32

/** `binding` ties the proof to one TLS connection; empty where TLS may end in between. Rejects with TunnelRefused, ProtocolError. */
export async function proveHost(deps: HandshakeDeps, stream: Duplex, binding: Uint8Array): Promise<ProvenHost> {
  const { authorities, hosts, clock, clusterName } = deps
  const nonce = randomBytes(nonceBytes)
  await sendLine(stream, { cluster: clusterName, nonce: nonce.toString('base64'), time: clock.now() })
  const hello = parseHello(await readLine(stream, handshakeLineLimit))
  const certificate = parseCertificateLine(hello.certificate)
  const proof = hostProof('tunnel', clusterName, nonce, binding, hello.hostId, hello.instance)
  if (!verifySsh(certificate.publicKey, proof, Buffer.from(hello.signature, 'base64')))
    throw new TunnelRefused('the hello is not signed with the key of the certificate')
  try {
    verifyCertificate(certificate, { kind: 'host', trusted: authorities.hostCa.trusted, principals: [hello.hostId], now: clock.now() })
  } catch (cause) {
    throw cause instanceof CertificateRefused ? new TunnelRefused(advice(cause), { cause, later: cause.code === 'not-yet-valid' }) : cause
  }
  const host = await hosts.find(hello.hostId)
  if (!host || host.publicKey !== formatPublicKey(certificate.publicKey))
    throw new TunnelRefused(`the host ${hello.hostId} is not known to this cluster with this key; join again with a new token`)
  return { host, hello, certificate }
}

function advice(refusal: CertificateRefused): string {
  if (refusal.code === 'expired') return 'the certificate of this host has expired; join again with a new token'
  if (refusal.code === 'not-yet-valid')
    return 'the certificate of this host is not valid yet by the clock of the proxy; compare the clocks of both machines'
  return refusal.message
}

function parseHello(line: string): Hello {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch (cause) {
    throw new ProtocolError('tunnel/hello', 'The hello is no JSON.', { cause })
  }
  const parsed = helloWire.safeParse(json)
  if (!parsed.success) throw new ProtocolError('tunnel/hello', 'The hello has not the form that was agreed on.')
  return parsed.data
}

export const sendVerdict = (stream: Duplex, verdict: Verdict): Promise<void> => sendLine(stream, verdict)

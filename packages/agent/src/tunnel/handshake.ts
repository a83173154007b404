/** The first three lines of a tunnel, from the side of the host. */
import type { Duplex } from 'node:stream'
import { hostProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { signSsh } from '@sallyport/protocols/ssh/keys.ts'
import { challengeWire, handshakeLineLimit, handshakeTimeout, verdictWire } from '@sallyport/wire/tunnel.ts'
import type { Hello } from '@sallyport/wire/tunnel.ts'
import type { Credentials } from '../credentials.ts'
import { readLine } from './read-line.ts'
import type { Transport } from './transport.ts'

/** The proxy does not take this host; the message is its reason. */
export class TunnelRefused extends Error {
  override readonly name = 'TunnelRefused'
  /** Whether it may be accepted soon without anybody doing something here. */
  readonly later: boolean

  constructor(reason: string, later: boolean) {
    super(reason)
    this.later = later
  }
}

export interface Introduction extends Pick<Hello, 'instance' | 'hostname' | 'version'> {
  readonly credentials: Credentials
}

/** Resolves, with the proxy's time, when the proxy has accepted. Rejects with TunnelRefused. */
export async function introduce({ stream, binding }: Transport, { credentials, ...told }: Introduction): Promise<{ proxyTime: number }> {
  const timer = setTimeout(() => stream.destroy(new Error('the proxy does not answer')), handshakeTimeout)
  try {
    const challenge = challengeWire.parse(JSON.parse(await readLine(stream, handshakeLineLimit)))
    const cluster = credentials.cluster()
    if (challenge.cluster !== cluster)
      throw new TunnelRefused(`the proxy belongs to the cluster "${challenge.cluster}", this host to "${cluster}"`, false)
    const { hostId, privateKey } = credentials
    const proof = hostProof('tunnel', cluster, Buffer.from(challenge.nonce, 'base64'), binding, hostId, told.instance)
    const signature = signSsh(privateKey, proof).toString('base64')
    const hello: Hello = { ...told, hostId, certificate: credentials.certificateLine(), signature }
    await sendLine(stream, hello)
    const verdict = verdictWire.parse(JSON.parse(await readLine(stream, handshakeLineLimit)))
    if (verdict.status === 'refused') throw new TunnelRefused(verdict.reason, verdict.later)
    return { proxyTime: challenge.time }
  } finally {
    clearTimeout(timer)
  }
}

/** Resolves when the line has left: HTTP/2 must not take over a connection on which a write of somebody else is under way. */
function sendLine(stream: Duplex, message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()))
  })
}

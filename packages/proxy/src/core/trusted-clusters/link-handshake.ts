/** The first three lines of a link between clusters, from either side. Each proves to the other that it has its cluster key. */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { clusterProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { parsePublicKey, verifySsh } from '@sallyport/protocols/ssh/keys.ts'
import { linkChallengeWire, linkHelloWire, linkVerdictWire } from '@sallyport/wire/cluster-link.ts'
import type { LinkHello, LinkVerdict } from '@sallyport/wire/cluster-link.ts'
import { handshakeLineLimit, handshakeTimeout } from '@sallyport/wire/tunnel.ts'
import type { ClusterKey } from '../authorities/authorities.ts'
import type { Clock } from '../clock.ts'
import { TunnelRefused } from '../tunnel/agent-handshake.ts'
import { readLine, sendLine } from '../tunnel/lines.ts'
import type { RemoteCluster, RemoteClusters } from './remote-clusters.ts'

export interface Identity {
  clusterKey: ClusterKey
  clusterName: string
  clock: Clock
}

export interface ProvenLeaf {
  readonly leaf: RemoteCluster
  readonly hello: LinkHello
  /** Tells the leaf that it is in. */
  welcome(): Promise<void>
}

const nonceBytes = 32
const freshNonce = (): string => randomBytes(nonceBytes).toString('base64')

/** At the root. `binding` ties the proofs to one TLS connection; empty where TLS may end in between. Rejects with TunnelRefused, ProtocolError. */
export async function proveLeaf(
  { clusterKey, clusterName, clock, leaves }: Identity & { leaves: Pick<RemoteClusters, 'find'> },
  stream: Duplex,
  binding: Uint8Array,
): Promise<ProvenLeaf> {
  const nonce = freshNonce()
  await sendLine(stream, { cluster: clusterName, nonce, time: clock.now() })
  const hello = parse(linkHelloWire, await readLine(stream, handshakeLineLimit), 'hello')
  const leaf = await leaves.find(hello.cluster)
  const proof = clusterProof('leaf', clusterName, hello.cluster, nonce, binding, hello.nonce, hello.instance)
  if (!leaf || !verifySsh(parsePublicKey(leaf.publicKey), proof, Buffer.from(hello.signature, 'base64')))
    throw new TunnelRefused(
      `the cluster "${hello.cluster}" is not known to "${clusterName}" with this key; delete the trusted cluster and create it with a new token`,
    )
  const answer = clusterProof('root', clusterName, hello.cluster, hello.nonce, binding, nonce)
  return {
    leaf,
    hello,
    welcome: () => sendLinkVerdict(stream, { status: 'ok', signature: clusterKey.sign(answer).toString('base64') }),
  }
}

export const sendLinkVerdict = (stream: Duplex, verdict: LinkVerdict): Promise<void> => sendLine(stream, verdict)

export interface Introduction extends Identity {
  /** The root that has to be at the other end. */
  root: { name: string; publicKeys: readonly string[] }
  /** Of this process. */
  instance: string
  version: string
}

/** At the leaf. Resolves, with the root's time, when both have proved themselves. Rejects with TunnelRefused, ProtocolError. */
export async function introduceLeaf(
  { clusterKey, clusterName, root, instance, version }: Introduction,
  stream: Duplex,
  binding: Uint8Array,
): Promise<{ rootTime: number }> {
  const timer = setTimeout(() => stream.destroy(new Error('the root does not answer')), handshakeTimeout)
  try {
    const challenge = parse(linkChallengeWire, await readLine(stream, handshakeLineLimit), 'challenge')
    if (challenge.cluster !== root.name)
      throw new TunnelRefused(`the proxy that answers belongs to the cluster "${challenge.cluster}", not to "${root.name}"`)
    const nonce = freshNonce()
    const proof = clusterProof('leaf', root.name, clusterName, challenge.nonce, binding, nonce, instance)
    const signature = clusterKey.sign(proof).toString('base64')
    await sendLine(stream, { cluster: clusterName, instance, version, nonce, signature } satisfies LinkHello)
    const verdict = parse(linkVerdictWire, await readLine(stream, handshakeLineLimit), 'verdict')
    if (verdict.status === 'refused') throw new TunnelRefused(verdict.reason, { later: verdict.later })
    const answer = clusterProof('root', root.name, clusterName, nonce, binding, challenge.nonce)
    const given = Buffer.from(verdict.signature, 'base64')
    if (!root.publicKeys.some((line) => verifySsh(parsePublicKey(line), answer, given)))
      throw new TunnelRefused(
        `the proxy that answers does not have the key of "${root.name}"; delete the trusted cluster and create it anew`,
      )
    return { rootTime: challenge.time }
  } finally {
    clearTimeout(timer)
  }
}

export const newInstance = (): string => randomUUID()

function parse<T>(schema: { safeParse(value: unknown): { success: true; data: T } | { success: false } }, line: string, what: string): T {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch (cause) {
    throw new ProtocolError('link/form', `The ${what} is no JSON.`, { cause })
  }
  const parsed = schema.safeParse(json)
  if (!parsed.success) throw new ProtocolError('link/form', `The ${what} has not the form that was agreed on.`)
  return parsed.data
}

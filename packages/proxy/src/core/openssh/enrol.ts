/** An OpenSSH server that registers itself: it shows a join token and its public key, and becomes a node of the cluster. */
import { randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { certificateAlgorithms, certificateSuffix, formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { fingerprint, keyType, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { isHiddenLabel } from '@sallyport/wire/entities/label.ts'
import { defaultJoinMethod } from '@sallyport/wire/limits.ts'
import type { Audit } from '../audit/audit.ts'
import type { Authorities } from '../authorities/authorities.ts'
import { alreadyExists, AppError, badParameter } from '../errors.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { JoinTokens } from '../join/join-tokens.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { Client } from '../route.ts'
import { whyNotOwnAddress } from './own-address.ts'
import { formatAddress, hostKeyTypes, hostnameSchema } from './openssh-node.ts'
import type { OpenSshNode, OpenSshNodeStore } from './openssh-node.ts'
import type { OpenSshNodes } from './openssh-nodes.ts'

export interface EnrolmentRequest {
  token: string
  hostname: string
  /** An address of the machine; empty: where the request comes from. */
  address: string
  port: number
  public_key: string
  labels: string
}

export interface Enrolled {
  id: string
  addr: string
  /** Line of the host's certificate; undefined for a type of key that has none here, whose key is known all the same. */
  certificate: string | undefined
}

/** Throws access denied (the token, a lock), bad parameter, already exists (the name or the key is another server's). */
export type Enrol = (request: EnrolmentRequest, client: Pick<Client, 'ip' | 'address'>) => Promise<Enrolled>

export interface EnrolDeps {
  tokens: Pick<JoinTokens, 'redeem'>
  store: Pick<OpenSshNodeStore, 'list'>
  nodes: Pick<OpenSshNodes, 'put'>
  inventory: Pick<Inventory, 'nodes'>
  locks: Pick<LockView, 'require'>
  authorities: Pick<Authorities, 'issueHostCertificate'>
  audit: Pick<Audit, 'emit'>
}

const role = 'Node'
/** Its key is pinned as well, so that a certificate that ran out keeps nobody from the host. */
const certificateTtlSeconds = 365 * 24 * 3600
const looksLikeId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu

export function createEnrolment({ tokens, store, nodes, inventory, locks, authorities, audit }: EnrolDeps): Enrol {
  /** The same machine again, or undefined for one that is new. */
  async function findKnown(key: string, hostname: string, addr: string): Promise<OpenSshNode | undefined> {
    const known = (await store.list()).find(({ spec }) => spec.host_key?.fingerprint === key)
    if (known && (known.spec.hostname !== hostname || known.spec.addr !== addr)) {
      const { name } = known.metadata
      throw alreadyExists(
        `this host key is that of ${known.spec.hostname} at ${known.spec.addr}; remove that one first: sallyport rm node/${name}`,
      )
    }
    // A name opens doors: the certificate of a host is good for it, in whatever case.
    const isSame = (name: string): boolean => name.toLowerCase() === hostname.toLowerCase()
    if (inventory.nodes().some((node) => isSame(node.hostname) && node.id !== known?.metadata.name))
      throw alreadyExists(`another server is named ${hostname}; choose a name with --hostname`)
    return known
  }
  function certify(publicKey: KeyObject, id: string, hostname: string): string | undefined {
    if (!certificateAlgorithms.includes(keyType(publicKey) + certificateSuffix)) return undefined
    return formatCertificate(
      authorities.issueHostCertificate({ publicKey, hostId: id, names: [hostname], ttlSeconds: certificateTtlSeconds }),
    )
  }
  return async ({ token, ...request }, client) => {
    const joining = { node_name: request.hostname, role, method: defaultJoinMethod, 'addr.remote': client.address }
    let hostId: string | undefined
    try {
      // Before anything is looked up: without a good token nobody learns which servers there are.
      const { suggestedLabels } = await tokens.redeem(token, role)
      const { publicKey, hostname, addr, labels } = read(request, client.ip)
      const key = fingerprint(publicKey)
      const type = hostKeyTypes.find((one) => one === keyType(publicKey))
      const known = await findKnown(key, hostname, addr)
      const id = known?.metadata.name ?? randomUUID()
      hostId = id
      locks.require({ node: id })
      const certificate = certify(publicKey, id, hostname)
      await audit.emit('TJ002I', { ...joining, host_id: id, success: true })
      await nodes.put(
        {
          metadata: { ...known?.metadata, name: id, labels: { ...known?.metadata.labels, ...labels, ...suggestedLabels } },
          spec: { hostname, addr, host_key: { fingerprint: key, ...(type && { type }) } },
        },
        undefined,
      )
      return { id, addr, certificate }
    } catch (error) {
      if (error instanceof AppError) {
        const host = hostId === undefined ? {} : { host_id: hostId }
        await audit.emit('TJ002E', { ...joining, ...host, success: false, error: error.detail ?? error.message })
      }
      throw error
    }
  }
}

function read({ hostname, address, port, public_key: line, labels }: Omit<EnrolmentRequest, 'token'>, clientIp: string) {
  const named = hostnameSchema.safeParse(hostname)
  if (!named.success || looksLikeId.test(hostname)) throw badParameter('hostname: write a host name: letters, digits, dots and dashes')
  const own = clientIp.replace(/^::ffff:/, '')
  const host = address === '' ? own : address
  const why = whyNotOwnAddress(host, own)
  if (why !== undefined) throw badParameter(`address: ${why}`)
  return { publicKey: readKey(line), hostname, addr: formatAddress({ host, port }), labels: readLabels(labels) }
}

function readKey(line: string): KeyObject {
  try {
    return parsePublicKey(line)
  } catch (cause) {
    if (!(cause instanceof ProtocolError)) throw cause
    throw badParameter(`public_key: ${cause.message}`, { cause })
  }
}

function readLabels(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([\w./:@+-]{1,255})\s*=\s*([^=\p{Cc}]{0,255}?)\s*$/u.exec(pair) ?? []
      if (name === undefined || value === undefined) throw badParameter(`labels: "${pair}" is no label; write name=value`)
      if (isHiddenLabel(name)) throw badParameter(`labels: "${name}" is the cluster's own; choose another name`)
      return [name, value]
    }),
  )
}

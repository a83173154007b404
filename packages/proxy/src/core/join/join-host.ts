/** A host that joins: it shows a token and its key, and becomes one of the cluster. */
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { hostProof } from '@sallyport/protocols/ssh/host-proof.ts'
import { formatPublicKey, keyType, parsePublicKey, verifySsh } from '@sallyport/protocols/ssh/keys.ts'
import type { AnswerInput, BodyOf } from '@sallyport/wire/call.ts'
import type { joinHost } from '@sallyport/wire/calls/join.ts'
import { defaultJoinMethod } from '@sallyport/wire/limits.ts'
import type { Audit } from '../audit/audit.ts'
import type { Clock } from '../clock.ts'
import { alreadyExists, AppError, badParameter } from '../errors.ts'
import type { Inventory } from '../inventory/inventory.ts'
import type { LockView } from '../locks/lock-view.ts'
import type { Client } from '../route.ts'
import type { HostCertificates } from './host-certificates.ts'
import type { Hosts } from './hosts.ts'
import type { JoinTokens } from './join-tokens.ts'

type JoinRequest = BodyOf<typeof joinHost>

export interface JoinDeps {
  tokens: Pick<JoinTokens, 'redeem'>
  hosts: Hosts
  certificates: HostCertificates
  inventory: Pick<Inventory, 'node'>
  locks: Pick<LockView, 'require'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
}

/** Throws access denied (the token, a lock), bad parameter (the key) and already exists (the id is another host's). */
export type JoinHost = (request: JoinRequest, client: Client) => Promise<AnswerInput<typeof joinHost>>

export function createJoinHost({ tokens, hosts, certificates, inventory, locks, audit, clock }: JoinDeps): JoinHost {
  /** The host that asks may have this id: nobody has it, or it is the same one, or the one that had it is gone for good. */
  async function requireFree(id: string, publicKey: string): Promise<void> {
    const known = await hosts.find(id)
    const isFree = known === undefined ? inventory.node(id) === undefined : known.publicKey === publicKey || known.expires <= clock.now()
    if (!isFree) throw idTaken(id)
  }

  return async (request, client) => {
    const { token, host_id: id, hostname, role } = request
    const publicKey = provenKey(request)
    const about = { node_name: hostname, role, method: defaultJoinMethod, host_id: id, 'addr.remote': client.address }
    try {
      // Before anything is looked up: without a good token nobody learns which hosts there are.
      const { suggestedLabels: labels, roles, matchers = {} } = await tokens.redeem(token, role)
      locks.require({ node: id })
      await requireFree(id, publicKey)
      const { line, expires } = certificates.issue({ id, publicKey })
      await audit.emit('TJ002I', { ...about, success: true })
      if (!(await hosts.claim({ id, publicKey, hostname, labels, roles, matchers, expires }, clock.now()))) throw idTaken(id)
      return { ...certificates.news(), certificate: line, labels }
    } catch (error) {
      if (error instanceof AppError) await audit.emit('TJ002E', { ...about, success: false, error: error.detail ?? error.message })
      throw error
    }
  }
}

const idTaken = (id: string): AppError =>
  alreadyExists(
    `the host id ${id} belongs to another host; if this machine was copied from it, delete the agent's data directory here and join again`,
  )

/** The line of the key that signed the request. */
function provenKey({ token, host_id: hostId, public_key: line, proof }: JoinRequest): string {
  try {
    const key = parsePublicKey(line)
    if (keyType(key) !== 'ssh-ed25519') throw badParameter('public_key: a host has a key of type ed25519')
    if (verifySsh(key, hostProof('join', token, hostId), Buffer.from(proof, 'base64'))) return formatPublicKey(key)
  } catch (cause) {
    if (cause instanceof ProtocolError) throw badParameter(`public_key, proof: ${cause.message}`, { cause })
    throw cause
  }
  throw badParameter('proof: the request is not signed with this key')
}

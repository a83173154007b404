/** The calls of a connection test. */
import { test } from '@sallyport/wire/calls/diagnostics.ts'
import { authenticateChallenge, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { toConnectionDiagnostic } from '@sallyport/wire/entities/connection-diagnostic.ts'
import type { ConnectionDiagnostic } from '@sallyport/wire/entities/connection-diagnostic.ts'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { request } from '../../api/page.ts'
import { getAssertion } from '../../parts/webauthn.ts'
import type { Enrolled } from './kinds.ts'
import type { Kind } from './tiles.ts'

/** As whom, and where. What a kind does not have is empty. */
export interface As {
  login: string
  user: string
  name: string
  namespace: string
}
export interface Target extends As {
  kind: Kind
  enrolled: Enrolled
}
export type Proof = { code: string } | { assertion: Assertion }

const required = ({ kind, enrolled, login, user, name }: Target) => {
  if (kind === 'database')
    return { database: { service_name: enrolled.id, protocol: enrolled.protocol, username: user, database_name: name } }
  return kind === 'kubernetes' ? { kube: { cluster_name: enrolled.id } } : { node: { node_name: enrolled.id, login } }
}

function tested({ kind, enrolled, login, user, name, namespace }: Target) {
  if (kind === 'database') return { resource_kind: 'db', resource_name: enrolled.id, database_user: user, database_name: name }
  if (kind === 'kubernetes') {
    const impersonated = user === '' ? {} : { kubernetes_impersonation: { kubernetes_user: user, kubernetes_groups: [] } }
    return { resource_kind: 'kube_cluster', resource_name: enrolled.id, kubernetes_namespace: namespace, ...impersonated }
  }
  return { resource_kind: 'node', resource_name: enrolled.id, ssh_principal: login }
}

export async function needsProof(clusterId: string, target: Target): Promise<boolean> {
  return (await request(mfaRequired, { params: { clusterId }, body: required(target) })).required
}

export async function runTest(clusterId: string, target: Target, proof?: Proof): Promise<ConnectionDiagnostic> {
  const mfa_response = proof && ('code' in proof ? { totp_code: proof.code } : { webauthn_response: proof.assertion })
  const body = { ...tested(target), ...(mfa_response && { mfa_response }) }
  return toConnectionDiagnostic(await request(test, { params: { clusterId }, body }))
}

export async function proveByKey(): Promise<Proof> {
  const { webauthn_challenge } = await request(authenticateChallenge)
  if (!webauthn_challenge) throw new Error('This account has no security key. Use the code of your authenticator app.')
  return { assertion: await getAssertion(webauthn_challenge.publicKey) }
}

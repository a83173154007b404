/** The calls of a connection test. */
import { test } from '@sallyport/wire/calls/diagnostics.ts'
import { authenticateChallenge, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { toConnectionDiagnostic } from '@sallyport/wire/entities/connection-diagnostic.ts'
import type { ConnectionDiagnostic } from '@sallyport/wire/entities/connection-diagnostic.ts'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { request } from '../../api/page.ts'
import { getAssertion } from '../../parts/webauthn.ts'

export interface Target {
  /** Id of the server. */
  server: string
  login: string
}
export type Proof = { code: string } | { assertion: Assertion }

export async function needsProof(clusterId: string, { server, login }: Target): Promise<boolean> {
  return (await request(mfaRequired, { params: { clusterId }, body: { node: { node_name: server, login } } })).required
}

export async function runTest(
  clusterId: string,
  { server, login, proof }: Target & { proof?: Proof | undefined },
): Promise<ConnectionDiagnostic> {
  const mfa_response = proof && ('code' in proof ? { totp_code: proof.code } : { webauthn_response: proof.assertion })
  const body = { resource_kind: 'node', resource_name: server, ssh_principal: login, ...(mfa_response && { mfa_response }) }
  return toConnectionDiagnostic(await request(test, { params: { clusterId }, body }))
}

export async function proveByKey(): Promise<Proof> {
  const { webauthn_challenge } = await request(authenticateChallenge)
  if (!webauthn_challenge) throw new Error('This account has no security key. Use the code of your authenticator app.')
  return { assertion: await getAssertion(webauthn_challenge.publicKey) }
}

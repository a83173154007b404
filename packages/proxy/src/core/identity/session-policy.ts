/** What keeps somebody who has proved who they are from a session on the web. */
import type { AccessChecker } from '../access/checker.ts'
import type { PrivateKeyPolicy } from '../access/combine-options.ts'
import type { AuthPreference } from '../cluster/cluster-documents.ts'
import { accessDenied, badParameter } from '../errors.ts'

type Access = Pick<AccessChecker, 'options' | 'lacksLogins'>
type Preference = Pick<AuthPreference, 'private_key_policy'>

/** Where private keys have to live, by the cluster or by a role of the person; a browser has none on hardware. */
export function keyPolicyOf({ options }: Pick<Access, 'options'>, { private_key_policy: cluster }: Preference): PrivateKeyPolicy {
  if (cluster === 'hardware_key_touch' || options.privateKeyPolicy === 'none') return cluster
  return options.privateKeyPolicy
}

/** Throws the refusal of the contract. */
export function requireKeyPolicy(access: Pick<Access, 'options'>, preference: Preference): void {
  const policy = keyPolicyOf(access, preference)
  if (policy !== 'none') throw badParameter(`private key policy not met: ${policy}`)
}

/** Throws the refusal of the contract. */
export function requireWebSession(access: Access, preference: Preference): void {
  requireKeyPolicy(access, preference)
  if (access.lacksLogins) throw accessDenied('this user cannot create SSH sessions, has no allowed logins')
}

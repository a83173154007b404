import type { KeyObject } from 'node:crypto'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { readCertificateLogin } from '@sallyport/protocols/ssh/certificate-login.ts'
import type { AuthContext } from 'ssh2'
import { findAccount, whyNotBecome } from './accounts.ts'
import type { Account } from './accounts.ts'

export interface Admission {
  readonly account: Account
  readonly certificate: Certificate
}

export interface AuthenticationRules {
  readonly userCa: () => readonly KeyObject[]
  readonly now: number
  /** Where the client connects from, when that is known. */
  readonly address: string | undefined
}

/** A login that is refused; the message is for the agent's log. */
export class LoginRefused extends Error {
  override readonly name = 'LoginRefused'
}

/**
 * Decides about one request. Only certificates of the user authority count, for a login they list, that
 * exists here, and that this process may become. Answers `probe` to the question whether a certificate would
 * do, which proves nothing and is not remembered; an Admission needs the signature of the certified key over
 * this very request. Throws what speaks against it.
 */
export async function authenticate(request: AuthContext, rules: AuthenticationRules): Promise<Admission | 'probe'> {
  if (request.method !== 'publickey') throw new LoginRefused(`sign-in by "${request.method}" is not offered`)
  const { certificate, isProved } = readCertificateLogin(request, {
    kind: 'user',
    trusted: rules.userCa(),
    principals: [request.username],
    now: rules.now,
    sourceAddress: rules.address,
  })
  const account = await findAccount(request.username)
  if (!account) throw new LoginRefused(`the login "${request.username}" does not exist on this machine`)
  const obstacle = whyNotBecome(account)
  if (obstacle) throw new LoginRefused(obstacle)
  return isProved ? { account, certificate } : 'probe'
}

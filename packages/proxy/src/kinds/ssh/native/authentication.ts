/** Who comes over SSH: the holder of a certificate that this cluster made for a person, with the roles that the person has now. */
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { readCertificateLogin } from '@sallyport/protocols/ssh/certificate-login.ts'
import { confirmedExtension, deviceExtension, requestsExtension } from '../../../core/authorities/person-extensions.ts'
import { plainAddress } from '../../../core/address.ts'
import type { AssumedRequest } from '../../../core/access/assumed.ts'
import type { Authorities } from '../../../core/authorities/authorities.ts'
import type { Actor } from '../../../core/caller.ts'
import type { Clock } from '../../../core/clock.ts'
import { accessDenied } from '../../../core/errors.ts'
import { noRequests, requestsOf } from '../../../core/identity/assumed-text.ts'
import { accessHeld } from '../../../core/identity/held-access.ts'
import type { People } from '../../../core/identity/people.ts'
import { subjectOfCaller } from '../../../core/locks/lock.ts'
import type { LockView } from '../../../core/locks/lock-view.ts'
import type { AuthContext } from 'ssh2'

/** Somebody who proved to hold the key of a certificate. */
export interface Holder extends Pick<Actor, 'username' | 'roles' | 'traits' | 'access' | 'requested'> {
  /** The access requests that the certificate assumes. */
  assumed: readonly AssumedRequest[]
  mfaDevice: string | undefined
  /** Whether a hardware key confirmed the certificate, which lives for a moment only. */
  isConfirmed: boolean
  /** Epoch milliseconds. */
  expires: number
}

export interface AuthenticationDeps {
  authorities: Pick<Authorities, 'peopleCa'>
  people: Pick<People, 'find' | 'accessOf'>
  locks: Pick<LockView, 'require'>
  clock: Clock
}

/**
 * Answers `probe` to the question whether a certificate would do. `principal`: the login that it has to list; any will do
 * where the name is not used. Throws what speaks against it.
 */
export async function authenticate(
  deps: AuthenticationDeps,
  request: AuthContext,
  { ip, principal }: { ip: string; principal: string | undefined },
): Promise<Holder | 'probe'> {
  if (request.method !== 'publickey') throw accessDenied(`sign-in by "${request.method}" is not offered`)
  const { certificate, isProved } = readCertificateLogin(request, {
    kind: 'user',
    trusted: deps.authorities.peopleCa.trusted,
    now: deps.clock.now(),
    sourceAddress: plainAddress(ip),
    principals: principal === undefined ? 'any' : [principal],
  })
  // No certificate of a person has one; who is sent such a one has not got it from us.
  if (certificate.criticalOptions.has('force-command')) throw accessDenied('the certificate is for one command only')
  if (!isProved) return 'probe'
  return holderOf(deps, certificate)
}

async function holderOf({ people, locks }: AuthenticationDeps, certificate: Certificate): Promise<Holder> {
  const person = await people.find(certificate.keyId)
  if (!person) throw accessDenied(`there is no user ${certificate.keyId} any more`)
  const assumed = requestsOf(certificate.extensions.get(requestsExtension) ?? noRequests)
  const mfaDevice = certificate.extensions.get(deviceExtension)
  const actor = { ...(await accessHeld(people, person, assumed)), assumed, mfaDevice }
  locks.require(subjectOfCaller(actor))
  return {
    ...actor,
    isConfirmed: certificate.extensions.has(confirmedExtension),
    expires: Number(certificate.validBefore) * 1000,
  }
}

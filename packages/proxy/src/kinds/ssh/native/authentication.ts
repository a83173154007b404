/** Who comes over SSH: the holder of a certificate that this cluster made for a person, with the roles that the person has now. */
import type { KeyObject } from 'node:crypto'
import type { Certificate } from '@sallyport/protocols/ssh/certificate.ts'
import { readCertificateLogin, readHolderOf } from '@sallyport/protocols/ssh/certificate-login.ts'
import { formatPublicKey, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import {
  confirmedExtension,
  deviceExtension,
  requestsExtension,
  trustedDeviceExtension,
} from '../../../core/authorities/person-extensions.ts'
import { plainAddress } from '../../../core/address.ts'
import type { AssumedRequest } from '../../../core/access/assumed.ts'
import type { Authorities } from '../../../core/authorities/authorities.ts'
import type { Actor } from '../../../core/caller.ts'
import type { Clock } from '../../../core/clock.ts'
import type { Devices } from '../../../core/device-trust/devices.ts'
import { accessDenied } from '../../../core/errors.ts'
import { noRequests, requestsOf } from '../../../core/identity/assumed-text.ts'
import { accessHeld } from '../../../core/identity/held-access.ts'
import type { People } from '../../../core/identity/people.ts'
import { subjectOfCaller } from '../../../core/locks/lock.ts'
import type { LockView } from '../../../core/locks/lock-view.ts'
import type { AuthContext } from 'ssh2'

/** Somebody who proved to hold the key of a certificate. */
export interface Holder extends Pick<Actor, 'username' | 'roles' | 'traits' | 'isBot' | 'access' | 'requested' | 'trustedDevice'> {
  /** The access requests that the certificate assumes. */
  assumed: readonly AssumedRequest[]
  mfaDevice: string | undefined
  /** Line of the certified public key. */
  key: string
  /** Whether a hardware key confirmed the certificate, which lives for a moment only. */
  isConfirmed: boolean
  /** Epoch milliseconds. */
  expires: number
  /** That the certificate is for. */
  publicKey: KeyObject
}

export interface AuthenticationDeps {
  authorities: Pick<Authorities, 'peopleCa'>
  people: Pick<People, 'find' | 'accessOf'>
  devices: Pick<Devices, 'known'>
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

/**
 * For somebody whose root has looked at the certificate: that they hold the key which it names. Throws what speaks against it.
 */
export function authenticateVisitor(request: AuthContext, key: string | undefined): 'proved' | 'probe' {
  if (request.method !== 'publickey') throw accessDenied(`sign-in by "${request.method}" is not offered`)
  if (key === undefined) throw accessDenied('the way here was opened without a key of SSH')
  return readHolderOf(parsePublicKey(key), request).isProved ? 'proved' : 'probe'
}

async function holderOf({ people, devices, locks }: AuthenticationDeps, certificate: Certificate): Promise<Holder> {
  const person = await people.find(certificate.keyId)
  if (!person) throw accessDenied(`there is no user ${certificate.keyId} any more`)
  const assumed = requestsOf(certificate.extensions.get(requestsExtension) ?? noRequests)
  const mfaDevice = certificate.extensions.get(deviceExtension)
  // One that is known no more counts as none; what it opens is then for the roles to say.
  const trustedDevice = await devices.known(certificate.extensions.get(trustedDeviceExtension), person.name)
  const actor = { ...(await accessHeld(people, person, assumed, trustedDevice !== undefined)), assumed, mfaDevice, trustedDevice }
  locks.require(subjectOfCaller(actor))
  return {
    ...actor,
    key: formatPublicKey(certificate.publicKey),
    isConfirmed: certificate.extensions.has(confirmedExtension),
    expires: Number(certificate.validBefore) * 1000,
    publicKey: certificate.publicKey,
  }
}

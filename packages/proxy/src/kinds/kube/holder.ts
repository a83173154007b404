/** Who comes with a client certificate of this cluster, with the roles that they have at this moment. */
import type { X509Certificate } from 'node:crypto'
import { plainAddress } from '../../core/address.ts'
import { readPersonFacts } from '../../core/authorities/person-extensions.ts'
import type { PersonFacts } from '../../core/authorities/person-extensions.ts'
import type { Actor } from '../../core/caller.ts'
import type { Devices } from '../../core/device-trust/devices.ts'
import { accessDenied } from '../../core/errors.ts'
import { accessHeld } from '../../core/identity/held-access.ts'
import type { People } from '../../core/identity/people.ts'

/** Somebody who proved to hold the key of a certificate. */
export interface Holder extends PersonFacts {
  readonly username: string
  /** Epoch milliseconds. */
  readonly expires: number
}

/** The authority's signature has been checked. Undefined when it names nobody. */
export function readHolder({
  subject,
  subjectAltName = '',
  validTo,
}: Pick<X509Certificate, 'subject' | 'subjectAltName' | 'validTo'>): Holder | undefined {
  const names = subject.split('\n').flatMap((line) => (line.startsWith('CN=') ? [line.slice(3)] : []))
  const [username] = names
  if (username === undefined || names.length > 1) return undefined
  return { username, expires: Date.parse(validTo), ...readPersonFacts(subjectAltName) }
}

export interface ActorDeps {
  people: Pick<People, 'find' | 'accessOf'>
  devices: Pick<Devices, 'known'>
}

/** Throws access denied. */
export async function actorOf({ people, devices }: ActorDeps, holder: Holder, ip: string, signal: AbortSignal): Promise<Actor> {
  if (holder.address !== undefined && plainAddress(holder.address) !== plainAddress(ip))
    throw accessDenied('the certificate counts from another address only: sign in here with "sallyport login"')
  const person = await people.find(holder.username)
  if (!person) throw accessDenied(`there is no user ${holder.username} any more`)
  const { assumed } = holder
  // One that is known no more counts as none; what it opens is then for the roles to say.
  const trustedDevice = await devices.known(holder.provedDevice, person.name)
  const held = await accessHeld(people, person, assumed, trustedDevice !== undefined)
  return { ...held, assumed, mfaDevice: holder.device, trustedDevice, signal }
}

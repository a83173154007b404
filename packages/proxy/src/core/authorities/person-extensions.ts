/** What certificates of people say besides what OpenSSH knows; other servers pass over it. */
import type { AssumedRequest } from '../access/assumed.ts'
import { requestsOf, textOfRequests } from '../identity/assumed-text.ts'

/** Id of the second-factor device with which the person signed in. */
export const deviceExtension = 'mfa-device@sallyport'
/** The device that proved itself, and the fingerprint of the key with which it did: `<id>.<fingerprint>`. */
export const trustedDeviceExtension = 'trusted-device@sallyport'
/** A hardware key confirmed this very certificate, and it lives for a moment only: it stands for a session that asks for a key. */
export const confirmedExtension = 'session-confirmed@sallyport'
/** The access requests that are assumed with it, as tables keep them. */
export const requestsExtension = 'access-requests@sallyport'
/** Of that text, in characters: a certificate is sent at the start of every connection. */
export const requestsTextMax = 16 * 1024
/** The longest that such a certificate lives, in milliseconds. */
export const confirmedFor = 60_000

/** What a TLS certificate says of its holder besides name and roles. */
export interface PersonFacts {
  /** Id of the second-factor device that confirmed it. */
  device: string | undefined
  /** The device that proved itself, as in the extension. */
  provedDevice: string | undefined
  /** A hardware key has just confirmed it, for a moment. */
  isConfirmed: boolean
  /** The only address from which it counts. */
  address: string | undefined
  /** The access requests that are assumed with it. */
  assumed: readonly AssumedRequest[]
}

const factPrefix = 'urn:sallyport:'

/** As names of the certificate. */
export const personFacts = ({ device, provedDevice, isConfirmed, address, assumed }: PersonFacts): string[] => [
  ...(device === undefined ? [] : [`${factPrefix}device:${device}`]),
  ...(provedDevice === undefined ? [] : [`${factPrefix}trusted-device:${provedDevice}`]),
  ...(isConfirmed ? [`${factPrefix}confirmed`] : []),
  ...(address === undefined ? [] : [`${factPrefix}address:${address}`]),
  ...(assumed.length === 0 ? [] : [`${factPrefix}requests:${Buffer.from(textOfRequests(assumed)).toString('base64url')}`]),
]

/** `names`: the alternative names of a certificate as Node prints them. */
export function readPersonFacts(names: string): PersonFacts {
  const facts = names.split(', ').flatMap((name) => (name.startsWith(`URI:${factPrefix}`) ? [name.slice(`URI:${factPrefix}`.length)] : []))
  const valueOf = (key: string): string | undefined => facts.find((fact) => fact.startsWith(`${key}:`))?.slice(key.length + 1)
  const requests = valueOf('requests')
  return {
    device: valueOf('device'),
    provedDevice: valueOf('trusted-device'),
    isConfirmed: facts.includes('confirmed'),
    address: valueOf('address'),
    assumed: requests === undefined ? [] : requestsOf(Buffer.from(requests, 'base64url').toString('utf8')),
  }
}

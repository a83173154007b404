/** Certificates for people, over a key that they keep: for SSH and for TLS, as far as their roles allow. */
import { randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { ProtocolError } from '@sallyport/protocols/protocol-error.ts'
import { formatCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { headlessId } from '@sallyport/protocols/ssh/headless-id.ts'
import { keyType, parsePublicKey } from '@sallyport/protocols/ssh/keys.ts'
import type { CertificatesWire } from '@sallyport/wire/calls/certificates.ts'
import { requireOneForResources, rolesOfRequests } from './access/assumed.ts'
import type { SessionOptions } from './access/combine-options.ts'
import { plainAddress } from './address.ts'
import type { Audit } from './audit/audit.ts'
import type { Authorities } from './authorities/authorities.ts'
import {
  confirmedExtension,
  confirmedFor,
  deviceExtension,
  personFacts,
  requestsExtension,
  requestsTextMax,
  trustedDeviceExtension,
} from './authorities/person-extensions.ts'
import type { DatabaseAuthority } from './authorities/database-authority.ts'
import type { TlsAuthority } from './authorities/tls-authority.ts'
import type { Clock } from './clock.ts'
import type { ClusterSettings } from './cluster/cluster-settings.ts'
import type { TrustedDevice } from './device-trust/device.ts'
import { badParameter } from './errors.ts'
import { textOfRequests } from './identity/assumed-text.ts'
import { withRoles } from './identity/held-access.ts'
import type { People, Person } from './identity/people.ts'
import { keyPolicyOf } from './identity/session-policy.ts'
import type { LockView } from './locks/lock-view.ts'
import type { AccessRequests } from './requests/access-requests.ts'
import type { Client } from './route.ts'
import { actorFields, requestFields } from './sessions/subject.ts'

export interface CertificateRequest {
  person: Person
  /** Id of the device that confirmed it. */
  deviceId?: string | undefined
  /** Whether that device is a hardware key, and has just confirmed this. */
  isKeyProof?: boolean
  /** From which it was asked for, when it has proved itself. */
  trustedDevice?: TrustedDevice | undefined
  publicKey: KeyObject
  /** Milliseconds; 0 for what the cluster gives by default. */
  ttl: number
  client: Pick<Client, 'ip'>
  /** Ids of the access requests that are assumed with it. */
  requests?: readonly string[]
}

export interface Certificates {
  /** Throws bad parameter, LockRefusal, and for requests that cannot be assumed not found, access denied. */
  issue(request: CertificateRequest): Promise<CertificatesWire>
  /** The text that others are to trust. Throws bad parameter for an unknown type. */
  exportAuthority(type: string): Promise<string>
}

export interface CertificateDeps {
  authorities: Pick<Authorities, 'issuePersonCertificate' | 'peopleCa' | 'userCa' | 'hostCa'>
  tlsAuthority: TlsAuthority
  databaseAuthority: Pick<DatabaseAuthority, 'certificate'>
  people: Pick<People, 'accessOf'>
  requests: Pick<AccessRequests, 'assumable'>
  locks: Pick<LockView, 'require'>
  settings: Pick<ClusterSettings, 'authPreference'>
  audit: Pick<Audit, 'emit'>
  clock: Clock
  clusterName: string
}

/** Longest life where no role sets one. */
const longest = 30 * 3_600_000
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Reads the line of a public key, as it comes in base64, and the id of a headless sign-in with it. Throws bad parameter. */
export function readPublicKey(encoded: string): { line: Buffer; key: KeyObject; headlessId: string } {
  const line = Buffer.from(encoded, 'base64')
  try {
    const key = parsePublicKey(line.toString('utf8'))
    if (keyType(key) === 'ssh-rsa') throw badParameter('RSA keys are not certified: make a key of type ed25519 or ECDSA')
    return { line, key, headlessId: headlessId(line) }
  } catch (error) {
    if (error instanceof ProtocolError) throw badParameter(`pub_key: ${error.message}`, { cause: error })
    throw error
  }
}

export function createCertificates(deps: CertificateDeps): Certificates {
  const { authorities, tlsAuthority, databaseAuthority, people, requests, locks, settings, audit, clock, clusterName } = deps
  const authoritiesByType = new Map<string, () => string | Promise<string>>([
    ['user', () => authorities.peopleCa.publicLine],
    ['host', () => `@cert-authority * ${authorities.hostCa.publicLine}`],
    ['openssh', () => authorities.userCa.publicLine],
    ['tls-user', () => tlsAuthority.certificate()],
    ['db', () => databaseAuthority.certificate()],
  ])
  return {
    async issue({ person: own, deviceId, isKeyProof = false, trustedDevice, publicKey, ttl, client, requests: ids = [] }) {
      const assumed = await Promise.all([...new Set(ids)].map((id) => requests.assumable(id, own.name)))
      requireOneForResources(assumed)
      const requestsText = textOfRequests(assumed)
      if (requestsText.length > requestsTextMax) throw badParameter('the access requests are for too much to fit in a certificate')
      const person = withRoles(own, rolesOfRequests(assumed))
      const requested = assumed.flatMap(({ roles }) => roles)
      const access = await people.accessOf(withRoles(own, requested))
      const policy = keyPolicyOf(access, settings.authPreference)
      if (policy !== 'none') throw badParameter(`private key policy not met: ${policy}`)
      const { maxSessionTtl, pinSourceIp, lockMode } = access.options
      const requireUnlocked = (): void =>
        locks.require({
          user: own.name,
          roles: [...own.roles, ...requested],
          mfaDevice: deviceId,
          device: trustedDevice?.id,
          accessRequests: ids,
          mode: lockMode,
        })
      requireUnlocked()
      const lifetime = Math.min(
        ttl || settings.authPreference.default_session_ttl,
        maxSessionTtl || longest,
        ...assumed.map(({ expires: end }) => end - clock.now()),
      )
      const expires = clock.now() + lifetime
      const logins = access.logins()
      const ip = plainAddress(client.ip)
      await audit.emit('TC000I', {
        ...actorFields({ username: person.name, isBot: own.isBot, assumed, trustedDevice }),
        cert_type: 'user',
        identity: {
          user: person.name,
          roles: person.roles,
          logins,
          traits: person.traits,
          expires: new Date(expires).toISOString(),
          teleport_cluster: clusterName,
          route_to_cluster: clusterName,
          client_ip: ip,
          usage: [],
          ...requestFields(assumed),
          ...(deviceId === undefined ? {} : { mfa_device_uuid: deviceId }),
        },
      })
      const certificate = authorities.issuePersonCertificate({
        publicKey,
        keyId: person.name,
        // A certificate without a principal would count for all of them in some servers.
        principals: logins.length > 0 ? logins : [`-no-login-${randomUUID()}`],
        ttlSeconds: Math.floor(lifetime / 1000),
        extensions: {
          ...extensionsOf(access.options),
          ...(deviceId === undefined ? {} : { [deviceExtension]: deviceId }),
          ...(trustedDevice && { [trustedDeviceExtension]: trustedDevice.proved }),
          ...(isKeyProof && lifetime <= confirmedFor ? { [confirmedExtension]: '' } : {}),
          ...(assumed.length > 0 && { [requestsExtension]: requestsText }),
        },
        ...(pinSourceIp ? { sourceAddress: `${ip}/${isIPv6(ip) ? 128 : 32}` } : {}),
      })
      const tls = await tlsAuthority.issue({
        user: person.name,
        roles: person.roles,
        publicKey,
        expires,
        facts: personFacts({
          device: deviceId,
          provedDevice: trustedDevice?.proved,
          isConfirmed: isKeyProof && lifetime <= confirmedFor,
          address: pinSourceIp ? ip : undefined,
          assumed,
        }),
      })
      requireUnlocked()
      const { accessStrategy: strategy } = await people.accessOf(own)
      return {
        username: person.name,
        cert: base64(`${formatCertificate(certificate)}\n`),
        tls_cert: base64(tls),
        host_signers: [{ domain_name: clusterName, checking_keys: [base64(`${authorities.hostCa.publicLine}\n`)], tls_certs: [] }],
        ...(strategy.type !== 'optional' && assumed.length === 0 && { access_strategy: strategy }),
      }
    },
    async exportAuthority(type) {
      const text = await authoritiesByType.get(type)?.()
      if (text === undefined) throw badParameter(`unknown type "${type}"; use one of ${[...authoritiesByType.keys()].join(', ')}`)
      return `${text.trimEnd()}\n`
    },
  }
}

function extensionsOf(options: SessionOptions): Record<string, string> {
  const names = [
    'permit-pty',
    ...(options.portForwarding ? ['permit-port-forwarding'] : []),
    ...(options.forwardAgent ? ['permit-agent-forwarding'] : []),
    ...(options.x11Forwarding ? ['permit-X11-forwarding'] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, '']))
}

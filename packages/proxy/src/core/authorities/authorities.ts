import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { issueCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { Certificate, CertificateSpec } from '@sallyport/protocols/ssh/certificate.ts'
import { formatPublicKey, parsePublicKey, signSsh } from '@sallyport/protocols/ssh/keys.ts'
import type { Clock } from '../clock.ts'
import { createFileAuthorityStore } from './authority-store.ts'
import type { AuthorityKind, AuthorityRecord, AuthorityStore } from './authority-store.ts'
import { openMasterKey } from './master-key.ts'
import type { MasterKey } from './master-key.ts'

/** Certificates count from a little before they are issued, for machines whose clock is behind. */
const clockTolerance = 60
const defaultHostTtl = 24 * 3600

export interface Authority {
  readonly kind: AuthorityKind
  /** The signing key as a line for TrustedUserCAKeys or known_hosts (`@cert-authority *`). */
  readonly publicLine: string
  /** All keys that count now, the signing one first. */
  readonly trusted: readonly KeyObject[]
  sign(subject: KeyObject, spec: Omit<CertificateSpec, 'kind'>): Certificate
}

/** With what this cluster proves itself to other clusters, and signs who asks. It signs no certificates. */
export interface ClusterKey {
  /** Lines of all keys that count now, the signing one first. */
  readonly publicLines: readonly string[]
  /** As SSH signs. */
  sign(message: Uint8Array): Buffer
}

export interface UserCertificateRequest {
  /** Shown in the log of every server: the user's name and the session's id. */
  readonly keyId: string
  /** Logins. */
  readonly principals: readonly string[]
  readonly ttlSeconds: number
  readonly extensions?: Readonly<Record<string, string>>
  /** Networks, e.g. `10.0.0.0/8,::1`. */
  readonly sourceAddress?: string
}

export interface PersonCertificateRequest extends UserCertificateRequest {
  readonly publicKey: KeyObject
}

export interface HostCertificateRequest {
  readonly publicKey: KeyObject
  readonly hostId: string
  /** Further names under which it is reached. */
  readonly names?: readonly string[]
  readonly ttlSeconds?: number
}

export interface Authorities {
  readonly userCa: Authority
  readonly hostCa: Authority
  readonly peopleCa: Authority
  readonly clusterKey: ClusterKey
  /** A new key and a certificate over it; neither is kept. */
  issueUserCertificate(request: UserCertificateRequest): { privateKey: KeyObject; certificate: Certificate }
  issueHostCertificate(request: HostCertificateRequest): Certificate
  /** Over a key that somebody keeps. */
  issuePersonCertificate(request: PersonCertificateRequest): Certificate
}

const sealLabel = (kind: AuthorityKind, id: string): string => `authority/${kind}/${id}`

function newRecord(kind: AuthorityKind, masterKey: MasterKey, clock: Clock): AuthorityRecord {
  const id = randomUUID()
  const { privateKey } = generateKeyPairSync('ed25519')
  const sealedPrivateKey = masterKey.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), sealLabel(kind, id))
  return {
    version: 1,
    kind,
    keys: [{ id, createdAt: new Date(clock.now()).toISOString(), publicKey: formatPublicKey(privateKey), sealedPrivateKey }],
  }
}

interface Opened {
  readonly record: AuthorityRecord
  readonly key: KeyObject
}

async function openKeys(kind: AuthorityKind, store: AuthorityStore, masterKey: MasterKey, clock: Clock): Promise<Opened> {
  let record = await store.load(kind)
  if (!record) {
    await store.create(kind, newRecord(kind, masterKey, clock))
    record = await store.load(kind)
  }
  const signing = record?.keys[0]
  if (!record || !signing) throw new Error(`The ${kind} certificate authority could not be stored.`)
  try {
    const sealed = masterKey.open(signing.sealedPrivateKey, sealLabel(kind, signing.id))
    return { record, key: createPrivateKey({ key: sealed, format: 'der', type: 'pkcs8' }) }
  } catch (cause) {
    throw new Error(
      `The ${kind} certificate authority cannot be opened with this master key. Restore the master key that belongs to this data directory.`,
      { cause },
    )
  }
}

const authorityOf = (kind: AuthorityKind, { record, key }: Opened): Authority => ({
  kind,
  publicLine: formatPublicKey(key, `sallyport-${kind}-ca`),
  trusted: record.keys.map(({ publicKey }) => parsePublicKey(publicKey)),
  sign: (subject, spec) => issueCertificate(subject, key, { ...spec, kind: kind === 'host' ? 'host' : 'user' }),
})

export interface AuthoritiesOptions {
  readonly store: AuthorityStore
  readonly masterKey: MasterKey
  readonly clock: Clock
}

/** Opens the certificate authorities, creating those that do not exist yet. */
export async function openStoredAuthorities({ store, masterKey, clock }: AuthoritiesOptions): Promise<Authorities> {
  const open = async (kind: AuthorityKind): Promise<Authority> => authorityOf(kind, await openKeys(kind, store, masterKey, clock))
  const userCa = await open('user')
  const hostCa = await open('host')
  const peopleCa = await open('people')
  const cluster = await openKeys('cluster', store, masterKey, clock)
  const validity = (ttlSeconds: number): Pick<CertificateSpec, 'serial' | 'validAfter' | 'validBefore'> => {
    const seconds = Math.floor(clock.now() / 1000)
    return { serial: randomBytes(8).readBigUInt64BE(), validAfter: seconds - clockTolerance, validBefore: seconds + ttlSeconds }
  }
  const userSpec = ({ keyId, principals, ttlSeconds, extensions = { 'permit-pty': '' }, sourceAddress }: UserCertificateRequest) => ({
    ...validity(ttlSeconds),
    keyId,
    principals,
    extensions,
    criticalOptions: sourceAddress === undefined ? {} : { 'source-address': sourceAddress },
  })
  return {
    userCa,
    hostCa,
    peopleCa,
    clusterKey: {
      publicLines: cluster.record.keys.map(({ publicKey }) => publicKey),
      sign: (message) => signSsh(cluster.key, message),
    },
    issueUserCertificate(request) {
      const { privateKey } = generateKeyPairSync('ed25519')
      return { privateKey, certificate: userCa.sign(privateKey, userSpec(request)) }
    },
    issuePersonCertificate: (request) => peopleCa.sign(request.publicKey, userSpec(request)),
    issueHostCertificate({ publicKey, hostId, names = [], ttlSeconds = defaultHostTtl }) {
      return hostCa.sign(publicKey, { ...validity(ttlSeconds), keyId: hostId, principals: [...new Set([hostId, ...names])] })
    },
  }
}

/** The same with keys in files: `directory` holds the sealed authorities and `master.key`. */
export async function openAuthorities(directory: string, clock: Clock): Promise<Authorities> {
  const masterKey = await openMasterKey(join(directory, 'master.key'))
  return openStoredAuthorities({ store: createFileAuthorityStore(directory), masterKey, clock })
}

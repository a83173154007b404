/** An authority of X.509 certificates: its key sealed in a file beside the others, made when it is first needed. */
import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { createPrivateFile } from './master-key.ts'
import type { MasterKey } from './master-key.ts'

export interface X509Request {
  commonName: string
  organizations?: readonly string[]
  publicKey: KeyObject
  /** Epoch milliseconds. */
  expires: number
  for: keyof typeof usages
  /** Of servers: names and addresses under which they are reached. */
  hosts?: readonly string[]
  /** What else it says, as addresses of ours. */
  addresses?: readonly string[]
}

export interface X509Authority {
  /** PEM. */
  certificate(): Promise<string>
  /** PEM. */
  issue(request: X509Request): Promise<string>
}

export interface X509AuthorityOptions {
  file: string
  /** Keeps it apart from other sealed things. */
  label: string
  commonName: string
  masterKey: MasterKey
  clock: Clock
}

const recordSchema = z.object({ version: z.literal(1), id: z.uuid(), certificate: z.string(), sealedPrivateKey: z.string() })
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const lifetime = 10 * 365 * 24 * 3_600_000
/** For machines whose clock is behind. */
const clockTolerance = 60_000
const usages = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const

/** Loaded for the first certificate only; the library wants the other one to be there before it. */
async function library() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

// Node's type and the browser's differ in names that no signing key has.
const signingKeyOf = (key: KeyObject): CryptoKey => key.toCryptoKey(algorithm, false, ['sign']) as CryptoKey

/** Positive, as certificates want it. */
const serial = (): string => `00${randomBytes(16).toString('hex')}`

export function createX509Authority({ file, label, commonName, masterKey, clock }: X509AuthorityOptions): X509Authority {
  const sealLabel = (id: string): string => `${label}/${id}`

  async function make(): Promise<void> {
    const x509 = await library()
    const id = randomUUID()
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: algorithm.namedCurve })
    const name = [{ CN: [commonName] }]
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject: name,
      issuer: name,
      notBefore: new Date(clock.now() - clockTolerance),
      notAfter: new Date(clock.now() + lifetime),
      publicKey: new x509.PublicKey(publicKey.export({ type: 'spki', format: 'der' })),
      signingKey: signingKeyOf(privateKey),
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    })
    const sealedPrivateKey = masterKey.seal(privateKey.export({ format: 'der', type: 'pkcs8' }), sealLabel(id))
    // Of two processes that make one, the first one's counts.
    await createPrivateFile(
      file,
      `${JSON.stringify({ version: 1, id, certificate: certificate.toString('pem'), sealedPrivateKey }, undefined, 2)}\n`,
    )
  }

  async function open(): Promise<{ certificate: string; key: CryptoKey }> {
    const text = await readFile(file, 'utf8').catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      await make()
      return readFile(file, 'utf8')
    })
    try {
      const { id, certificate, sealedPrivateKey } = recordSchema.parse(JSON.parse(text))
      const key = createPrivateKey({ key: masterKey.open(sealedPrivateKey, sealLabel(id)), format: 'der', type: 'pkcs8' })
      return { certificate, key: signingKeyOf(key) }
    } catch (cause) {
      throw new Error(`${file} is damaged or belongs to another master key. Restore it from a backup.`, { cause })
    }
  }

  let opened: ReturnType<typeof open> | undefined
  const authority = (): ReturnType<typeof open> => {
    const opening = (opened ??= open())
    // What could not be opened is tried again.
    opening.catch(() => (opened = undefined))
    return opening
  }

  return {
    certificate: async () => (await authority()).certificate,
    async issue({ commonName: subject, organizations = [], publicKey, expires, for: usage, hosts = [], addresses = [] }) {
      const { certificate, key } = await authority()
      const x509 = await library()
      const names = [
        ...hosts.map((value) => ({ type: isIP(value) ? ('ip' as const) : ('dns' as const), value })),
        ...addresses.map((value) => ({ type: 'url' as const, value })),
      ]
      const issued = await x509.X509CertificateGenerator.create({
        serialNumber: serial(),
        subject: [{ CN: [subject] }, ...organizations.map((organization) => ({ O: [organization] }))],
        issuer: new x509.X509Certificate(certificate).subjectName,
        notBefore: new Date(clock.now() - clockTolerance),
        notAfter: new Date(expires),
        publicKey: new x509.PublicKey(publicKey.export({ type: 'spki', format: 'der' })),
        signingKey: key,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([usages[usage]], true),
          ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
        ],
      })
      return issued.toString('pem')
    },
  }
}

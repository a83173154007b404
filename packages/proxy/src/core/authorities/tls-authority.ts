/** The authority of people's X.509 certificates: its key sealed in a file beside the others, made when it is first needed. */
import { createPrivateKey, generateKeyPairSync, randomBytes, randomUUID } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Clock } from '../clock.ts'
import { createPrivateFile } from './master-key.ts'
import type { MasterKey } from './master-key.ts'

export interface TlsAuthority {
  /** PEM. */
  certificate(): Promise<string>
  /** A client certificate in PEM. `expires` in epoch milliseconds. `facts`: what else it says about the person, as addresses of ours. */
  issue(subject: {
    user: string
    roles: readonly string[]
    publicKey: KeyObject
    expires: number
    facts?: readonly string[]
  }): Promise<string>
  /** A certificate of a server that holders of client certificates meet. */
  issueServer(subject: { name: string; publicKey: KeyObject }): Promise<string>
}

const recordSchema = z.object({ version: z.literal(1), id: z.uuid(), certificate: z.string(), sealedPrivateKey: z.string() })
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const lifetime = 10 * 365 * 24 * 3_600_000
/** Of a server's key, which lives no longer than the process that made it. */
const serverLifetime = 366 * 24 * 3_600_000
/** For machines whose clock is behind. */
const clockTolerance = 60_000
const clientAuthentication = '1.3.6.1.5.5.7.3.2'
const serverAuthentication = '1.3.6.1.5.5.7.3.1'
const sealLabel = (id: string): string => `authority/tls-people/${id}`

/** Loaded for the first certificate only; the library wants the other one to be there before it. */
async function library() {
  await import('reflect-metadata')
  return import('@peculiar/x509')
}

// Node's type and the browser's differ in names that no signing key has.
const signingKeyOf = (key: KeyObject): CryptoKey => key.toCryptoKey(algorithm, false, ['sign']) as CryptoKey

/** Positive, as certificates want it. */
const serial = (): string => `00${randomBytes(16).toString('hex')}`

export function createTlsAuthority({
  directory,
  masterKey,
  clock,
  clusterName,
}: {
  directory: string
  masterKey: MasterKey
  clock: Clock
  clusterName: string
}): TlsAuthority {
  const file = join(directory, 'people-tls-authority.json')

  async function make(): Promise<void> {
    const x509 = await library()
    const id = randomUUID()
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: algorithm.namedCurve })
    const name = [{ CN: [`${clusterName} people`] }]
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

  interface Request {
    subject: Record<string, string[]>[]
    publicKey: KeyObject
    expires: number
    usage: string
    names: { type: 'url' | 'dns'; value: string }[]
  }

  async function certify({ subject, publicKey, expires, usage, names }: Request): Promise<string> {
    const { certificate, key } = await authority()
    const x509 = await library()
    const issued = await x509.X509CertificateGenerator.create({
      serialNumber: serial(),
      subject,
      issuer: new x509.X509Certificate(certificate).subjectName,
      notBefore: new Date(clock.now() - clockTolerance),
      notAfter: new Date(expires),
      publicKey: new x509.PublicKey(publicKey.export({ type: 'spki', format: 'der' })),
      signingKey: key,
      signingAlgorithm: algorithm,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.ExtendedKeyUsageExtension([usage], true),
        ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
      ],
    })
    return issued.toString('pem')
  }

  return {
    certificate: async () => (await authority()).certificate,
    issue: ({ user, roles, publicKey, expires, facts = [] }) =>
      certify({
        subject: [{ CN: [user] }, ...roles.map((role) => ({ O: [role] }))],
        publicKey,
        expires,
        usage: clientAuthentication,
        names: facts.map((value) => ({ type: 'url', value })),
      }),
    issueServer: ({ name, publicKey }) =>
      certify({
        subject: [{ CN: [name] }],
        publicKey,
        expires: clock.now() + serverLifetime,
        usage: serverAuthentication,
        names: [{ type: 'dns', value: name }],
      }),
  }
}

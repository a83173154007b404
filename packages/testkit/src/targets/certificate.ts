/** Certificates of an authority made for one test, as PEM files. */
import { generateKeyPairSync } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface CertificateFiles {
  readonly caFile: string
  /** The leaf and the authority. */
  readonly certFile: string
  readonly keyFile: string
  readonly caKey: KeyObject
}

export interface CertificateChoice {
  names: readonly string[]
  addresses?: readonly string[]
  /** Of the leaf; by default from yesterday to tomorrow. */
  notBefore?: Date
  notAfter?: Date
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const day = 24 * 3_600_000

export async function makeCertificate(directory: string, choice: CertificateChoice): Promise<CertificateFiles> {
  await import('reflect-metadata')
  const x509 = await import('@peculiar/x509')
  const keyPair = () => generateKeyPairSync('ec', { namedCurve: algorithm.namedCurve })
  const publicKeyOf = (key: KeyObject) => new x509.PublicKey(key.export({ type: 'spki', format: 'der' }))
  const ca = keyPair()
  const leaf = keyPair()
  const signingKey = ca.privateKey.toCryptoKey(algorithm, false, ['sign']) as CryptoKey
  const issuer = [{ CN: ['Test authority'] }]
  const common = {
    issuer,
    signingKey,
    signingAlgorithm: algorithm,
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + day),
  }
  const authority = await x509.X509CertificateGenerator.create({
    ...common,
    serialNumber: '01',
    subject: issuer,
    publicKey: publicKeyOf(ca.publicKey),
    extensions: [new x509.BasicConstraintsExtension(true, 0, true), new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true)],
  })
  const certificate = await x509.X509CertificateGenerator.create({
    ...common,
    serialNumber: '02',
    subject: [{ CN: [choice.names[0] ?? 'leaf'] }],
    publicKey: publicKeyOf(leaf.publicKey),
    ...(choice.notBefore && { notBefore: choice.notBefore }),
    ...(choice.notAfter && { notAfter: choice.notAfter }),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.SubjectAlternativeNameExtension([
        ...choice.names.map((value) => ({ type: 'dns' as const, value })),
        ...(choice.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
  })
  const files = { caFile: join(directory, 'ca.pem'), certFile: join(directory, 'cert.pem'), keyFile: join(directory, 'key.pem') }
  await writeFile(files.caFile, authority.toString('pem'))
  await writeFile(files.certFile, `${certificate.toString('pem')}\n${authority.toString('pem')}\n`)
  await writeFile(files.keyFile, leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  return { ...files, caKey: ca.publicKey }
}

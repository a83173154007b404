/** Keys and certificates of people on their own machine: below ~/.sallyport, for nobody else to read. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import type { CertificatesWire } from '@sallyport/wire/calls/certificates.ts'

export interface KeyFiles {
  privateKey: string
  publicKey: string
  certificate: string
  tlsCertificate: string
  knownHosts: string
}

const profileForm = z.object({
  origin: z.string(),
  user: z.string(),
  /** Name of the cluster, and where its proxy answers SSH. Profiles of earlier versions lack them. */
  cluster: z.string().optional(),
  ssh: z.string().optional(),
  /** The leaf cluster that commands are about; the cluster itself when there is none. */
  leaf: z.string().optional(),
  /** Name of the identity provider's connector, of those who sign in through one. */
  connector: z.string().optional(),
  /** Ids of the access requests that were assumed at the sign-in. */
  requests: z.array(z.string()).optional(),
  /** Of a bot: how it joins again. */
  bot: z.object({ name: z.string(), tokenFile: z.string() }).optional(),
})
export type Profile = z.output<typeof profileForm>

export const homeFolder = (): string => process.env['SALLYPORT_HOME'] || join(homedir(), '.sallyport')
const profileFile = (): string => join(homeFolder(), 'profile.json')
const hostOf = ({ origin }: Profile): string => new URL(origin).host.replaceAll(/[^\w.-]/g, '_')
const keyFolder = (profile: Profile): string => join(homeFolder(), 'keys', hostOf(profile))
/** Of this device's key; it stays when somebody signs out. */
export const deviceFolder = (profile: Profile): string => join(homeFolder(), 'devices', hostOf(profile), encodeURIComponent(profile.user))

/** `folder`: where they lie when it is not for the whole sign-in. */
export function filesOf(profile: Profile, folder: string = keyFolder(profile)): KeyFiles {
  const base = join(folder, encodeURIComponent(profile.user))
  return {
    privateKey: base,
    publicKey: `${base}.pub`,
    certificate: `${base}-cert.pub`,
    tlsCertificate: `${base}-x509.pem`,
    knownHosts: join(homeFolder(), 'known_hosts'),
  }
}

/** Complete from the moment it exists, and never readable by others. */
async function writePrivate(file: string, content: string): Promise<void> {
  const draft = `${file}.${process.pid}.new`
  await rm(draft, { force: true })
  await writeFile(draft, content, { mode: 0o600, flag: 'wx' })
  await rename(draft, file)
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('utf8')

export async function saveKeys(
  profile: Profile,
  key: { privateKey: string; publicKey: string },
  answer: CertificatesWire,
): Promise<KeyFiles> {
  const files = filesOf(profile)
  await mkdir(keyFolder(profile), { recursive: true, mode: 0o700 })
  await writeKeys(files, key, answer)
  await saveProfile(profile)
  return files
}

export const saveProfile = (profile: Profile): Promise<void> => writePrivate(profileFile(), `${JSON.stringify(profile)}\n`)

export async function writeKeys(files: KeyFiles, key: { privateKey: string; publicKey: string }, answer: CertificatesWire): Promise<void> {
  await writePrivate(files.privateKey, key.privateKey)
  await writePrivate(files.publicKey, `${key.publicKey}\n`)
  await writeCertificates(files, answer)
}

/** For the key that is there already. */
export async function writeCertificates(files: KeyFiles, answer: CertificatesWire): Promise<void> {
  await writePrivate(files.certificate, decode(answer.cert))
  await writePrivate(files.tlsCertificate, decode(answer.tls_cert))
  await saveKnownHosts(files.knownHosts, answer.host_signers)
}

/** Epoch milliseconds at which the certificate runs out; undefined when there is none. */
export async function readExpiry({ certificate }: KeyFiles): Promise<number | undefined> {
  const line = await readFile(certificate, 'utf8').catch(ifMissing(undefined))
  const blob = line?.split(' ')[1]
  return blob === undefined ? undefined : Number(parseCertificate(Buffer.from(blob, 'base64')).validBefore) * 1000
}

/** One line per authority; those of the same cluster are replaced. */
async function saveKnownHosts(file: string, signers: CertificatesWire['host_signers']): Promise<void> {
  const before = await readFile(file, 'utf8').catch(ifMissing(''))
  const names = new Set(signers.map(({ domain_name: name }) => name))
  const kept = before.split('\n').filter((line) => line !== '' && !names.has(line.split(' ').at(-1) ?? ''))
  const added = signers.flatMap(({ domain_name: name, checking_keys: keys }) =>
    keys.map((key) => `@cert-authority * ${decode(key).trim().split(' ').slice(0, 2).join(' ')} ${name}`),
  )
  await writePrivate(file, `${[...kept, ...added].join('\n')}\n`)
}

/** Who signed in last; undefined when nobody is. */
export async function readProfile(): Promise<Profile | undefined> {
  const text = await readFile(profileFile(), 'utf8').catch(ifMissing(undefined))
  return text === undefined ? undefined : profileForm.parse(JSON.parse(text))
}

export async function removeKeys(profile: Profile): Promise<void> {
  const { knownHosts: _shared, ...own } = filesOf(profile)
  for (const file of [...Object.values(own), profileFile()]) await rm(file, { force: true })
}

const ifMissing =
  <T>(value: T) =>
  (error: NodeJS.ErrnoException): T => {
    if (error.code === 'ENOENT') return value
    throw error
  }

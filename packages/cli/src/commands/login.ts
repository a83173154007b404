/** Signs a person in on the command line: a new key, certified by the proxy after a password or an approval in a browser. */
import { generateKeyPairSync } from 'node:crypto'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { parseCertificate } from '@sallyport/protocols/ssh/certificate.ts'
import { headlessId } from '@sallyport/protocols/ssh/headless-id.ts'
import { formatPublicKey } from '@sallyport/protocols/ssh/keys.ts'
import { ping, pingConnector } from '@sallyport/wire/calls/bootstrap.ts'
import { signInCommandLine } from '@sallyport/wire/calls/certificates.ts'
import type { CertificatesWire } from '@sallyport/wire/calls/certificates.ts'
import type { Ping } from '@sallyport/wire/entities/ping.ts'
import { headlessTtl } from '@sallyport/wire/limits.ts'
import { routePath } from '@sallyport/wire/routes.ts'
import { signInThroughBrowser } from '../browser-sign-in.ts'
import type { BrowserSignIn } from '../browser-sign-in.ts'
import { CommandError } from '../command-error.ts'
import { proveDevice } from '../device-proof.ts'
import { filesOf, readProfile, removeKeys, saveKeys, writeKeys } from '../key-files.ts'
import type { KeyFiles, Profile } from '../key-files.ts'
import { openPrompt } from '../prompt.ts'
import { callProxy, originOf } from '../proxy-client.ts'
import type { SshAccess } from '../ssh-config.ts'

/** Longest life of a certificate that stands for one session. */
const confirmedSeconds = 60

export interface LoginOptions {
  proxy: string
  user?: string
  /** Seconds. */
  ttl?: number
  headless?: boolean
  /** Name of a connector; the cluster's default when there is one and nobody is named. */
  connector?: string
  /** Ids of approved access requests. */
  requestId?: readonly string[]
}

/** Throws CommandError. */
export function requireProxy<T extends { proxy?: string }>(options: T): T & { proxy: string } {
  const { proxy } = options
  if (proxy === undefined) throw new CommandError('Say where the proxy is reached: sallyport login --proxy console.example.com')
  return { ...options, proxy }
}

export async function login({ proxy, user, ttl = 0, headless, connector, requestId: requests = [] }: LoginOptions): Promise<void> {
  const origin = originOf(proxy)
  const pong = await (connector === undefined ? callProxy(origin, ping) : callProxy(origin, pingConnector, { params: { connector } }))
  const { auth } = pong
  const key = newKey()
  const line = key.publicKey
  const provider = connector !== undefined || (user === undefined && !headless) ? providerOf(auth) : undefined
  const answer = provider
    ? await signInThroughBrowser({ origin, connector: provider, publicKey: line, ttl: ttl * 1e9, requests, show: showAddress })
    : await signInHere(origin, line, { user: user ?? userInfo().username, ttl, headless, mode: auth?.second_factor ?? 'off', requests })
  const profile = {
    origin,
    user: answer.username,
    ...sshOf(pong, origin),
    ...(provider && { connector: provider.name }),
    requests: [...requests],
  }
  const files = await saveKeys(profile, key, answer)
  const device = await proveDevice({ profile, cluster: profile.cluster, address: profile.ssh, files })
  report(profile, files, answer)
  if (device) console.log(`Trusted device: ${device.assetTag}`)
}

/** Where a proxy answers SSH, and for which cluster. */
export const sshOf = ({ cluster_name: cluster, proxy }: Ping, origin: string): { cluster: string; ssh: string } => ({
  cluster,
  ssh: proxy?.ssh.ssh_public_addr ?? new URL(origin).host,
})

export function newKey(): { privateKey: string; publicKey: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return { privateKey: privateKey.export({ format: 'pem', type: 'sec1' }).toString(), publicKey: formatPublicKey(publicKey) }
}

/** Asks for a certificate of a moment, which the person's key confirms in a browser, and puts it into a folder of its own. */
export async function confirmSession(access: SshAccess, folder: string): Promise<KeyFiles> {
  const { profile } = access
  const key = newKey()
  const request = { user: profile.user, ttl: confirmedSeconds, headless: true, mode: '', requests: profile.requests ?? [] }
  const answer = await signInHere(profile.origin, key.publicKey, request)
  const files = { ...filesOf(profile, folder), knownHosts: join(folder, 'known_hosts') }
  await writeKeys(files, key, answer)
  await proveDevice({ ...access, files })
  return files
}

/** The provider that a ping tells; undefined for local sign-in. */
function providerOf(auth: Ping['auth']): BrowserSignIn['connector'] | undefined {
  for (const type of ['oidc', 'saml', 'github'] as const) {
    const name = auth?.type === type ? auth[type]?.name : undefined
    if (name) return { type, name }
  }
  return undefined
}

function showAddress(address: string): void {
  console.log('Open this address in a browser on this machine and sign in there:')
  console.log(`  ${address}`)
}

/** By password, or by an approval in a browser. */
async function signInHere(
  origin: string,
  line: string,
  {
    user,
    ttl,
    headless,
    mode,
    requests,
  }: { user: string; ttl: number; headless: boolean | undefined; mode: string; requests: readonly string[] },
): Promise<CertificatesWire> {
  const request = { user, pub_key: Buffer.from(line).toString('base64'), ttl: ttl * 1e9, access_requests: [...requests] }
  const proof = headless ? askForApproval(origin, line) : await askForPassword(user, mode)
  // A little longer than the proxy waits, so that it is the proxy that says no.
  const signal = AbortSignal.timeout(headlessTtl + 15_000)
  return callProxy(origin, signInCommandLine, { body: { ...request, ...proof }, signal })
}

function askForApproval(origin: string, line: string): { headless_id: string } {
  const id = headlessId(Buffer.from(line))
  console.error('Open this address in a browser, sign in as yourself, and approve with your passkey or security key:')
  console.error(`  ${origin}${routePath('headless', { requestId: id })}`)
  console.error(`Waiting for ${headlessTtl / 60_000} minutes at most.`)
  return { headless_id: id }
}

async function askForPassword(user: string, mode: string): Promise<{ password: string; otp_token: string }> {
  if (mode === 'webauthn')
    throw new CommandError('This cluster signs in with security keys only, which the command line cannot ask: use --headless.')
  using prompt = openPrompt()
  const password = await prompt.secret(`Password of ${user}: `)
  if (mode === 'off') return { password, otp_token: '' }
  return { password, otp_token: await prompt.secret('Code of the authenticator app: ') }
}

export function report({ origin, user, requests }: Profile, files: KeyFiles, { cert, access_strategy: strategy }: CertificatesWire): void {
  const [, blob = ''] = Buffer.from(cert, 'base64').toString('utf8').split(' ')
  const { validBefore, principals } = parseCertificate(Buffer.from(blob, 'base64'))
  console.log(`${user} is signed in to ${origin} until ${new Date(Number(validBefore) * 1000).toISOString()}.`)
  console.log(`Logins: ${principals.filter((name) => !name.startsWith('-')).join(', ') || 'none'}`)
  console.log(`Key: ${files.privateKey}`)
  console.log(`Certificate: ${files.certificate}`)
  console.log(`Authorities of hosts: ${files.knownHosts}`)
  if (requests && requests.length > 0) console.log(`Requests assumed: ${requests.join(', ')}`)
  if (!strategy) return
  console.log(`Your roles want a request for access first${strategy.prompt === '' ? '' : ` (${strategy.prompt})`}. Ask for it here:`)
  console.log(`  ${origin}${routePath('newRequest')}`)
  console.log(`Once it is approved: sallyport login --proxy ${origin} --request-id <id>`)
}

export async function logout(): Promise<void> {
  const profile = await readProfile()
  if (!profile) throw new CommandError('Nobody is signed in on this machine.')
  await removeKeys(profile)
  console.log(`The keys of ${profile.user} for ${profile.origin} are removed from this machine.`)
}

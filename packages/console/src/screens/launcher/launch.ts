import { appAuthPath, pathOnApp } from '@sallyport/wire/app-access.ts'
import { createAppSession, resolveApp, resolveAppByAddress, resolveAppInCluster } from '@sallyport/wire/calls/apps.ts'
import { authenticateChallenge } from '@sallyport/wire/calls/mfa.ts'
import { toAppSession } from '@sallyport/wire/entities/app.ts'
import type { Assertion } from '@sallyport/wire/entities/mfa.ts'
import { request } from '../../api/page.ts'
import { getAssertion } from '../../parts/webauthn.ts'

export interface Link {
  fqdn: string
  clusterId?: string
  publicAddr?: string
  arn?: string
  /** Where to go in the application. */
  path: string
  /** What the application's host gave this browser; absent on the first visit. */
  state: string | undefined
}

const plainHost = (host: string): string => host.toLowerCase().replace(/:\d+$/, '')

/** The application's own origin: as this one, by its host name. */
function originOf(fqdn: string): string {
  const { protocol, port } = window.location
  return `${protocol}//${plainHost(fqdn)}${port === '' ? '' : `:${port}`}`
}

/** The host name that the proxy knows for the link. Never another one than the link says. */
async function resolve({ fqdn, clusterId: clusterName, publicAddr }: Link): Promise<string> {
  const found = await (clusterName && publicAddr
    ? request(resolveAppByAddress, { params: { fqdn, clusterName, publicAddr } })
    : clusterName
      ? request(resolveAppInCluster, { params: { fqdn, clusterName } })
      : request(resolveApp, { params: { fqdn } }))
  if (plainHost(found.fqdn) !== plainHost(fqdn))
    throw new Error(`The link leads to ${fqdn}, but the application is at ${found.fqdn}. Open it from the list of applications.`)
  return plainHost(found.fqdn)
}

/** The address to go on to: the application's host, first for its state, then with the session. */
export async function prepareLaunch(link: Link, assertion?: Assertion): Promise<string> {
  const { clusterId = '', publicAddr = '', arn = '', state } = link
  const fqdn = await resolve(link)
  const address = new URL(appAuthPath, originOf(fqdn))
  address.searchParams.set('path', pathOnApp(link.path))
  if (state === undefined) {
    for (const [name, value] of [
      ['cluster', clusterId],
      ['addr', publicAddr],
      ['arn', arn],
    ] as const)
      if (value !== '') address.searchParams.set(name, value)
    return address.href
  }
  const body = { fqdn, cluster_name: clusterId, public_addr: publicAddr, arn }
  const session = toAppSession(
    await request(createAppSession, { body: { ...body, ...(assertion && { mfa_response: { webauthn_response: assertion } }) } }),
  )
  address.searchParams.set('state', state)
  address.searchParams.set('subject', session.subjectCookieValue ?? '')
  // In the fragment, which no server is sent.
  address.hash = `value=${session.cookieValue ?? ''}`
  return address.href
}

/** The same with the viewer's key, where each session has to be confirmed. */
export async function confirmLaunch(link: Link): Promise<string> {
  const { webauthn_challenge: challenge } = await request(authenticateChallenge)
  if (!challenge) throw new Error('This application needs a passkey or security key. Add one in your account settings.')
  return prepareLaunch(link, await getAssertion(challenge.publicKey))
}

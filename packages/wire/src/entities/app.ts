/** Applications: what lists tell of them, and the session that a browser opens on one. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { launchPath } from '../routes.ts'
import { labelWire } from './label.ts'
import type { Label } from './label.ts'

export const awsRoleWire = z.object({ name: z._default(z.string(), ''), display: z.string(), arn: z.string() })
export type AwsRole = z.output<typeof awsRoleWire>

export const appGroupWire = z.object({ name: z.string(), description: z._default(z.string(), '') })
export type AppGroup = z.output<typeof appGroupWire>

export const appWire = z.object({
  /** Some peers leave it out. */
  name: z._default(z.string(), ''),
  description: z._default(z.string(), ''),
  uri: z._default(z.string(), ''),
  publicAddr: z._default(z.string(), ''),
  /** The host name under which browsers reach it. */
  fqdn: z._default(z.string(), ''),
  clusterId: z._default(z.string(), ''),
  labels: listOf(labelWire),
  awsConsole: z._default(z.boolean(), false),
  awsRoles: z.optional(listOf(awsRoleWire)),
  /** Of applications that an identity provider names. */
  friendlyName: z.optional(z.string()),
  userGroups: z.optional(listOf(appGroupWire)),
  /** True for one that is only shown because of the roles that the caller searches as: access has to be asked for. */
  requiresRequest: z.optional(z.boolean()),
})
export type AppWire = z.output<typeof appWire>

export interface App {
  id: string
  name: string
  description: string
  uri: string
  publicAddr: string
  labels: Label[]
  clusterId: string
  fqdn: string
  /** Empty where it cannot be opened in the browser for lack of an address. */
  launchUrl: string
  awsRoles: AwsRole[]
  awsConsole: boolean
  isCloudOrTcpEndpoint: boolean
  addrWithProtocol: string
  friendlyName: string
  userGroups: AppGroup[]
  /** It is only shown because of the roles that the viewer searches as: access has to be asked for. */
  requiresRequest?: true
}

/** `cloud` is the programming interface of a cloud. */
export type AppScheme = 'https' | 'tcp' | 'cloud'
export const schemeOfApp = (uri: string): AppScheme => (uri.startsWith('tcp://') ? 'tcp' : uri.startsWith('cloud://') ? 'cloud' : 'https')

/** `cluster`: where it was found. */
export function toApp(wire: AppWire, cluster: string): App {
  const { name, uri, publicAddr, fqdn } = wire
  const clusterId = wire.clusterId || cluster
  const scheme = schemeOfApp(uri)
  return {
    id: `${clusterId}-${name}-${publicAddr || uri}`,
    name,
    description: wire.description,
    uri,
    publicAddr,
    labels: wire.labels,
    clusterId,
    fqdn,
    launchUrl: launchPath({ fqdn, clusterId: wire.clusterId, publicAddr }),
    awsRoles: wire.awsRoles ?? [],
    awsConsole: wire.awsConsole,
    isCloudOrTcpEndpoint: scheme !== 'https',
    addrWithProtocol: publicAddr === '' ? uri : `${scheme}://${publicAddr}`,
    friendlyName: wire.friendlyName ?? '',
    userGroups: wire.userGroups ?? [],
    ...(wire.requiresRequest && { requiresRequest: true as const }),
  }
}

export const appSessionWire = z.object({
  fqdn: z._default(z.string(), ''),
  cookie_value: z.optional(z.string()),
  subject_cookie_value: z.optional(z.string()),
  /** Other proxies may send them; this one does not. */
  value: z.optional(z.string()),
  subject: z.optional(z.string()),
})
export type AppSessionWire = z.output<typeof appSessionWire>

export interface AppSession {
  fqdn: string
  value: string | undefined
  subject: string | undefined
  cookieValue: string | undefined
  subjectCookieValue: string | undefined
}

export const toAppSession = (wire: AppSessionWire): AppSession => ({
  fqdn: wire.fqdn,
  value: wire.value,
  subject: wire.subject,
  cookieValue: wire.cookie_value,
  subjectCookieValue: wire.subject_cookie_value,
})

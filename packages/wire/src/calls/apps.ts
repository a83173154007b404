/** Applications: the list, what a launch link means, and the session that it opens. */
import * as z from 'zod/mini'
import { call, rule } from '../call.ts'
import { appKeysPath } from '../app-access.ts'
import { appSessionWire, appWire } from '../entities/app.ts'
import { listQueryWire, pageOf } from '../entities/list.ts'
import { assertionWire } from '../entities/mfa.ts'
import { clusterParams } from './clusters.ts'

/** Sortable by name, description, publicAddress (`publicAddr` is an alias). */
export const apps = call({
  id: 'apps.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/apps',
  allow: rule('app_server', 'list', 'read'),
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(appWire),
})

const hostName = z.string().check(z.maxLength(255))
const fqdnParams = z.object({ fqdn: hostName })
const clusterAppParams = z.extend(fqdnParams, { clusterName: z.string().check(z.maxLength(255)) })
const resolved = z.object({ fqdn: z.string() })

/** The host name under which a browser opens an application: by that name itself, by its name in front of a proxy's. */
export const resolveApp = call({
  id: 'apps.resolve',
  method: 'GET',
  path: '/v1/webapi/apps/{fqdn}',
  allow: 'session',
  params: fqdnParams,
  out: resolved,
})
export const resolveAppInCluster = call({
  id: 'apps.resolveInCluster',
  method: 'GET',
  path: '/v1/webapi/apps/{fqdn}/{clusterName}',
  allow: 'session',
  params: clusterAppParams,
  out: resolved,
})
/** By exactly this cluster and public address. */
export const resolveAppByAddress = call({
  id: 'apps.resolveByAddress',
  method: 'GET',
  path: '/v1/webapi/apps/{fqdn}/{clusterName}/{publicAddr}',
  allow: 'session',
  params: z.extend(clusterAppParams, { publicAddr: hostName }),
  out: resolved,
})

const text = z._default(z.string().check(z.maxLength(2048)), '')
const mfaResponse = z.nullish(z.object({ webauthn_response: z.nullish(assertionWire) }))

/** What the browser needs to show on the application's host. */
export const createAppSession = call({
  id: 'apps.createSession',
  method: 'POST',
  path: '/v1/webapi/sessions/app',
  allow: 'session',
  body: z.object({
    fqdn: z._default(hostName, ''),
    cluster_name: z._default(z.string().check(z.maxLength(255)), ''),
    public_addr: z._default(hostName, ''),
    arn: text,
    /** Where a role or the cluster asks for a key with each session. */
    mfa_response: mfaResponse,
    mfaResponse,
  }),
  out: appSessionWire,
})

/** The keys of the signed statements that applications get about their users. */
export const appKeys = call({
  id: 'apps.keys',
  method: 'GET',
  path: appKeysPath,
  allow: 'public',
  out: z.object({
    keys: z.array(z.object({ kty: z.string(), n: z.string(), e: z.string(), alg: z.string(), use: z.string(), kid: z.string() })),
  }),
})

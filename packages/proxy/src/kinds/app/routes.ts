/** Applications over HTTP: which there are, what a launch link means, and the keys of what they are told about people. */
import * as calls from '@sallyport/wire/calls/apps.ts'
import type { AppWire, AwsRole } from '@sallyport/wire/entities/app.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import type { AccessService } from '../../core/access/access.ts'
import { accessTo, requestedOf } from '../../core/access/assumed.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import { searchChecker } from '../../core/access/search-as-roles.ts'
import { viewerFor } from '../../core/access/viewer-for.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { JwtSigner } from '../../core/authorities/jwt-signer.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { isAwsConsole } from './app.ts'
import type { ServedApp } from './app.ts'
import { startSession } from './start-session.ts'
import type { StartSessionDeps } from './start-session.ts'
import type { ServedApps } from './resolve-app.ts'

export interface AppRoutesDeps extends StartSessionDeps {
  cluster: OwnCluster
  apps: Pick<ServedApps, 'registry' | 'dial'>
  signer: Pick<JwtSigner, 'keys'>
  access: AccessService
  audit: Pick<Audit, 'emit'>
}

const accountLabel = 'aws_account_id'
const roleArn = /^arn:[\w-]+:iam::(\d+):role\/(.+)$/

/** Roles in the cloud that the caller may take on there. */
function awsRolesOf({ labels }: ServedApp, access: AccessChecker): AwsRole[] {
  const account = labels[accountLabel]
  return access.principals('app', labels, 'aws_role_arns').flatMap((arn) => {
    const [, owner, name = ''] = roleArn.exec(arn) ?? []
    if (owner === undefined || (account !== undefined && account !== owner)) return []
    return [{ name, display: name.split('/').at(-1) ?? name, arn }]
  })
}

export function appRoutes(deps: AppRoutesDeps): Route[] {
  const { cluster, apps, names, signer, access: service, audit } = deps

  function toWire(app: ServedApp, access: AccessChecker): AppWire {
    const host = names.hostOf(app)
    const awsConsole = isAwsConsole(app)
    return {
      name: app.id,
      description: app.description,
      uri: app.uri,
      publicAddr: host,
      fqdn: host,
      clusterId: cluster.name,
      labels: toLabels(app.labels),
      awsConsole,
      ...(awsConsole && { awsRoles: awsRolesOf(app, access) }),
      ...(!access.canSee('app', app.labels) && { requiresRequest: true }),
    }
  }

  /** What else is shown to somebody who asks for it; that they look is in the audit log before they see it. */
  async function searching(caller: Caller): Promise<AccessChecker | undefined> {
    const wider = await searchChecker(service, caller)
    if (wider)
      await audit.emit('T5004I', { user: caller.username, resource_type: 'app', search_as_roles: [...caller.access.searchAsRoles] })
    return wider
  }
  const viewer = (access: AccessChecker) => viewerFor(access, 'app')

  return [
    on(calls.apps, async ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const { access } = caller
      const wider = query.searchAsRoles === 'yes' ? await searching(caller) : undefined
      const page = apps.registry.list(query, [...(wider ? [access, wider] : [access]).map(viewer), ...requestedOf(caller, 'app')])
      return { ...page, items: page.items.map((app) => toWire(app, accessTo(caller, 'app', app.id))) }
    }),
    on(calls.resolveApp, ({ params, caller }) => ({ fqdn: names.resolve(params, caller).host })),
    on(calls.resolveAppInCluster, ({ params, caller }) => ({ fqdn: names.resolve(params, caller).host })),
    on(calls.resolveAppByAddress, ({ params, caller }) => ({ fqdn: names.resolve(params, caller).host })),
    on(calls.createAppSession, ({ body, caller, client, signal }) => startSession(deps, { body, caller, client, signal })),
    on(calls.appKeys, async () => ({ keys: await signer.keys() })),
  ]
}

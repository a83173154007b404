/** Groups of people: the list. */
import * as calls from '@sallyport/wire/calls/user-groups.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import type { UserGroupWire } from '@sallyport/wire/entities/user-group.ts'
import type { AccessService } from '../../core/access/access.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import type { Labels } from '../../core/access/match.ts'
import { searchChecker } from '../../core/access/search-as-roles.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { Viewer } from '../../core/inventory/entry-index.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { friendlyNameOf } from '../../core/user-groups/user-group.ts'
import type { UserGroupItem } from '../../core/user-groups/user-group.ts'
import type { UserGroups } from '../../core/user-groups/user-groups.ts'

export interface UserGroupsAreaDeps {
  cluster: OwnCluster
  groups: Pick<UserGroups, 'registry'>
  /** What is known of an application. */
  appOf: (name: string) => { readonly labels: Labels; readonly description: string } | undefined
  access: AccessService
  audit: Pick<Audit, 'emit'>
}

const kind = 'user_group'
const appNameLabel = 'teleport.internal/okta-app-name'

export function userGroupsRoutes({ cluster, groups, appOf, access: service, audit }: UserGroupsAreaDeps): Route[] {
  const views = new WeakMap<AccessChecker, Viewer>()
  /** What the index remembers of a viewer stands under one object. */
  function viewOf(access: AccessChecker): Viewer {
    let view = views.get(access)
    if (!view) views.set(access, (view = { canSee: (labels) => access.canSee(kind, labels) }))
    return view
  }
  /** What else is shown to somebody who asks for it; that they look is in the audit log before they see it. */
  async function searching(caller: Caller): Promise<AccessChecker | undefined> {
    const wider = await searchChecker(service, caller)
    if (wider) await audit.emit('T5004I', { user: caller.username, resource_type: kind, search_as_roles: [...caller.access.searchAsRoles] })
    return wider
  }
  /** Applications that the viewer may not know of are not told. */
  function applicationsOf({ applications }: UserGroupItem, viewers: readonly AccessChecker[]): UserGroupWire['applications'] {
    return applications.flatMap((name) => {
      const app = appOf(name)
      if (!app || !viewers.some((access) => access.canSee('app', app.labels))) return []
      return [{ name, friendlyName: friendlyNameOf(app, appNameLabel) ?? '' }]
    })
  }
  return [
    on(calls.userGroups, async ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const { access } = caller
      const wider = query.searchAsRoles === 'yes' ? await searching(caller) : undefined
      const viewers = [access, ...(wider ? [wider] : [])]
      const page = groups.registry.list(query, viewers.map(viewOf))
      return {
        ...page,
        items: page.items.map((group) => {
          const friendlyName = friendlyNameOf(group)
          return {
            name: group.id,
            description: group.description,
            labels: toLabels(group.labels),
            ...(friendlyName !== undefined && { friendlyName }),
            applications: applicationsOf(group, viewers),
            ...(!access.canSee(kind, group.labels) && { requiresRequest: true }),
          }
        }),
      }
    }),
  ]
}

/** Whether a session asks for a second factor of its own, told before one is opened. */
import type { BodyOf } from '@sallyport/wire/call.ts'
import { bareMfaRequired, mfaRequired } from '@sallyport/wire/calls/mfa.ts'
import { accessTo } from '../../core/access/assumed.ts'
import type { Labels } from '../../core/access/match.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { badParameter, notFound } from '../../core/errors.ts'
import type { Inventory } from '../../core/inventory/inventory.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

/** Labels of what is no server, by name; undefined where there is none. */
type LabelsOf = (name: string) => Labels | undefined

export interface MfaRequiredDeps {
  cluster: OwnCluster
  settings: Pick<ClusterSettings, 'authPreference'>
  inventory: Pick<Inventory, 'resolve'>
  labelsOf: { readonly db: LabelsOf; readonly kube_cluster: LabelsOf; readonly windows_desktop: LabelsOf }
}

export function mfaRequiredRoutes({ cluster, settings, inventory, labelsOf }: MfaRequiredDeps): Route[] {
  /** What is asked for on something that is no server; undefined for a server. Hidden and absent are the same. */
  function otherTarget({ database, kube, windows_desktop: desktop }: BodyOf<typeof mfaRequired>, caller: Caller) {
    const seen = (kind: keyof typeof labelsOf, name: string): Labels | undefined => {
      const labels = labelsOf[kind](name)
      return labels && accessTo(caller, kind, name).canSee(kind, labels) ? labels : undefined
    }
    if (database) {
      const { service_name: name, username, database_name } = database
      const wanted = { ...(username && { db_users: username }), ...(database_name && { db_names: database_name }) }
      const labels = seen('db', name)
      if (!labels) throw notFound(`database "${name}" is not found`)
      return { kind: 'db', name, labels, wanted } as const
    }
    if (kube) {
      const labels = seen('kube_cluster', kube.cluster_name)
      if (!labels) throw notFound(`kubernetes cluster "${kube.cluster_name}" is not found`)
      return { kind: 'kube_cluster', name: kube.cluster_name, labels, wanted: {} } as const
    }
    if (!desktop) return undefined
    const wanted = { windows_desktop_logins: desktop.login }
    return { kind: 'windows_desktop', name: desktop.desktop_name, labels: seen('windows_desktop', desktop.desktop_name), wanted } as const
  }
  function decide(body: BodyOf<typeof mfaRequired>, caller: Caller): boolean {
    const { node, database, windows_desktop: desktop, kube } = body
    const named = [node, database, desktop, kube].filter((target) => target !== undefined && target !== null)
    if (named.length === 0) throw badParameter('missing target for MFA check')
    if (named.length > 1) throw badParameter('only one target is allowed for MFA check')
    const other = otherTarget(body, caller)
    if (settings.authPreference.require_session_mfa !== false) return true
    // What is unknown, or hidden, asks for nothing: opening it is refused in any case.
    if (other) {
      const { kind, name, labels, wanted } = other
      return labels !== undefined && accessTo(caller, kind, name).resourceNeedsMfa(kind, labels, wanted)
    }
    const found = node && inventory.resolve(node.node_name, ({ id, labels }) => accessTo(caller, 'node', id).canSeeNode(labels))
    return found?.kind === 'found' && accessTo(caller, 'node', found.node.id).needsSessionMfa(found.node.labels, node?.login ?? '')
  }
  return [
    on(mfaRequired, ({ params, body, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return { required: decide(body, caller) }
    }),
    on(bareMfaRequired, ({ body, caller }) => ({ required: decide(body, caller) })),
  ]
}

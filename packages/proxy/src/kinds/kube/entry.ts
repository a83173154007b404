/** From somebody who asks for a cluster to the words of the API there: who they are, what is decided, what is written down. */
import type { OutgoingHttpHeaders } from 'node:http'
import type { Audit } from '../../core/audit/audit.ts'
import type { Actor } from '../../core/caller.ts'
import type { ClusterSettings } from '../../core/cluster/cluster-settings.ts'
import { accessDenied, notFound } from '../../core/errors.ts'
import { subjectOfCaller } from '../../core/locks/lock.ts'
import type { LockView } from '../../core/locks/lock-view.ts'
import type { Log } from '../../core/log.ts'
import { actorFields, proofFields } from '../../core/sessions/subject.ts'
import type { ApiClient } from './api-client.ts'
import type { ApiRequest } from './api-request.ts'
import type { KubeCluster, KubeClusters } from './clusters.ts'
import { decide } from './decide.ts'
import type { Passage } from './decide.ts'
import { identityOf, impersonate } from './impersonation.ts'
import type { Identity, WantedIdentity } from './impersonation.ts'

export interface EntryDeps {
  clusters: KubeClusters
  settings: Pick<ClusterSettings, 'authPreference'>
  locks: Pick<LockView, 'require'>
  audit: Pick<Audit, 'emit'>
  log: Log
}

/** Who asks, from where. */
export interface Visitor {
  /** With the access that they have to the cluster which they ask for. */
  readonly caller: Actor
  /** `ip:port`. */
  readonly address: string
  /** Proves anew who they are, where the cluster asks for it. The id of the key, as far as it is known. Rejects with AppError. */
  readonly confirm: () => Promise<string | undefined>
}

/** Somebody who has been let in to a cluster. */
export interface Entry {
  readonly cluster: KubeCluster
  readonly identity: Identity
  readonly api: ApiClient
  readonly headers: OutgoingHttpHeaders
  /** Id of the key that confirmed it, where one had to. */
  readonly withMfa?: string | undefined
}

/** Who may not know of a cluster gets the same answer as when it is not there. */
export function findCluster({ clusters }: Pick<EntryDeps, 'clusters'>, name: string, { access }: Actor): KubeCluster {
  const cluster = clusters.find(name)
  if (!cluster || !access.canSee('kube_cluster', cluster.labels)) throw notFound(`kubernetes cluster "${name}" is not found`)
  return cluster
}

export const asksForProof = ({ settings }: Pick<EntryDeps, 'settings'>, { labels }: KubeCluster, { access }: Actor): boolean =>
  settings.authPreference.require_session_mfa !== false || access.resourceNeedsMfa('kube_cluster', labels)

/** Throws LockRefusal, not found, access denied. */
export async function enter(deps: EntryDeps, name: string, visitor: Visitor, wanted?: WantedIdentity): Promise<Entry> {
  const { caller, confirm } = visitor
  deps.locks.require(subjectOfCaller(caller))
  const cluster = findCluster(deps, name, caller)
  const identity = identityOf(caller.access, cluster.labels, caller.username, wanted)
  const withMfa = asksForProof(deps, cluster, caller) ? await confirm() : undefined
  return { cluster, identity, api: deps.clusters.apiOf(cluster), headers: impersonate(identity), withMfa }
}

/** Throws access denied. */
export const passageOf = ({ cluster }: Entry, { caller }: Visitor, request: ApiRequest): Passage =>
  decide(caller.access, cluster.labels, request)

export interface RequestFacts {
  readonly method: string
  readonly path: string
  readonly cluster: string
  readonly entry?: Entry | undefined
  readonly target?: ApiRequest | undefined
}

/** Resolves when it is durable. */
export function auditRequest(
  { audit }: Pick<EntryDeps, 'audit'>,
  visitor: Pick<Visitor, 'caller' | 'address'>,
  facts: RequestFacts,
  status: number,
) {
  const { method, path, cluster, entry, target } = facts
  return audit.emit('T3009I', {
    ...actorFields(visitor.caller),
    ...proofFields(entry?.withMfa),
    namespace: 'default',
    // The host whose agent serves it; empty where the proxy reaches it itself.
    server_id: entry?.cluster.via ?? '',
    login: entry?.identity.user ?? '',
    verb: method,
    request_path: path,
    response_code: status,
    kubernetes_cluster: cluster,
    ...(entry && {
      kubernetes_users: [entry.identity.user],
      kubernetes_groups: entry.identity.groups,
      kubernetes_labels: entry.cluster.labels,
    }),
    resource_api_group: target?.resource ? [target.resource.apiGroup, target.resource.version].filter(Boolean).join('/') : '',
    resource_namespace: target?.resource?.namespace ?? '',
    resource_kind: target?.resource?.resource ?? '',
    resource_name: target?.resource?.name ?? '',
    'addr.remote': visitor.address,
    proto: 'kube',
  })
}

/** Somebody is cut off in the middle of something. Does not reject. */
export async function auditCut(
  { audit, log }: Pick<EntryDeps, 'audit' | 'log'>,
  { caller, address }: Pick<Visitor, 'caller' | 'address'>,
  cluster: string,
  reason: string,
): Promise<void> {
  await audit
    .emit('T3006I', {
      ...actorFields(caller),
      namespace: 'default',
      server_id: '',
      kubernetes_cluster: cluster,
      'addr.remote': address,
      proto: 'kube',
      reason,
    })
    .catch((error: unknown) => log.error({ err: error }, 'the end of a Kubernetes connection could not be written to the audit log'))
}

export const needsConfirmation = (cluster: string): Error =>
  accessDenied(
    `access to the cluster denied: a passkey or security key has to confirm it; use "sallyport kube login --headless ${cluster}", or open a shell in the console`,
  )

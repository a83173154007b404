/** What runs in a cluster, for who looks for a pod in a browser. */
import * as calls from '@sallyport/wire/calls/kubernetes.ts'
import type { QueryOf } from '@sallyport/wire/call.ts'
import type { KubeResourceWire } from '@sallyport/wire/entities/kube-cluster.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import { z } from 'zod'
import { actorAt } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { AppError, connectionProblem } from '../../core/errors.ts'
import { pageOfRows } from '../../core/inventory/page-of-rows.ts'
import type { RowKind } from '../../core/inventory/page-of-rows.ts'
import { on } from '../../core/route.ts'
import type { CallerRequest, Route } from '../../core/route.ts'
import { parseApiRequest } from './api-request.ts'
import { auditRequest, findCluster } from './entry.ts'
import type { EntryDeps } from './entry.ts'
import { identityOf, impersonate } from './impersonation.ts'
import { fetchJson } from './fetch-json.ts'
import { ApiRefusal, ApiUnreachable } from './status.ts'

export interface KubeRoutesDeps extends Pick<EntryDeps, 'clusters' | 'audit'> {
  cluster: OwnCluster
}

const objectForm = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().default(''),
    labels: z.record(z.string(), z.string()).nullish(),
  }),
  spec: z.looseObject({ containers: z.array(z.looseObject({ name: z.string() })).nullish() }).nullish(),
})
const listForm = z.looseObject({ items: z.array(objectForm).nullish() })

/** Of so many the first are shown; whoever has more writes the name. */
const shownLimit = 1000
/** The status that stands for a cluster which does not answer. */
const unreached = 503

const rowsOf = (kind: string): RowKind<KubeResourceWire> => ({
  name: kind,
  isSortable: true,
  nameOf: ({ name }) => name,
  placeOf: ({ namespace }) => namespace,
  textsOf: ({ namespace, labels }) => [namespace, ...labels.flatMap(({ name, value }) => [name, value])],
  queried({ name, namespace, labels: list }) {
    const labels = Object.fromEntries(list.map((label) => [label.name, label.value]))
    const spec = { namespace }
    return { labels, spec: () => spec, resource: () => ({ kind, metadata: { name, labels }, spec }) }
  },
})

export function kubeRoutes({ cluster, clusters, audit }: KubeRoutesDeps): Route[] {
  type Asked = Pick<CallerRequest<typeof calls.kubernetesPods>, 'caller' | 'client' | 'signal'>

  /** What the cluster says is told once it is written down that it was asked. */
  async function list({ caller: given, client, signal }: Asked, query: QueryOf<typeof calls.kubernetesResources>) {
    const { kind, kubeCluster: name, kubeNamespace: namespace = '', kubeUser } = query
    const caller = actorAt(given, 'kube_cluster', name)
    const target = findCluster({ clusters }, name, caller)
    const identity = identityOf(caller.access, target.labels, caller.username, { user: kubeUser || undefined })
    const path =
      kind === 'namespace'
        ? '/api/v1/namespaces'
        : namespace === ''
          ? '/api/v1/pods'
          : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
    const [api, headers] = [clusters.apiOf(target), impersonate(identity)]
    const facts = {
      method: 'GET',
      path,
      cluster: name,
      entry: { cluster: target, identity, api, headers },
      target: parseApiRequest('GET', path),
    }
    const audited = (status: number) => auditRequest({ audit }, { caller, address: client.address }, facts, status)
    const json = await fetchJson(api, `${path}?limit=${shownLimit}`, headers, signal).catch(async (error: unknown) => {
      await audited(error instanceof ApiRefusal ? error.status : unreached)
      throw asAppError(error)
    })
    await audited(200)
    const found = listForm.parse(json)
    const items = (found.items ?? [])
      .map(({ metadata, spec }) => ({
        kind,
        name: metadata.name,
        namespace: metadata.namespace,
        labels: toLabels(metadata.labels ?? {}),
        cluster: name,
        ...(kind === 'pod' && { containers: (spec?.containers ?? []).map((container) => container.name) }),
      }))
      .filter((item) => isShown(caller, target.labels, item))
    return pageOfRows(items, rowsOf(kind), query)
  }
  return [
    on(calls.kubernetesResources, ({ params, query, ...asked }) => {
      requireOwnCluster(cluster, params.clusterId)
      return list(asked, query)
    }),
    on(calls.kubernetesPods, ({ params, query, ...asked }) => {
      requireOwnCluster(cluster, params.clusterId)
      return list(asked, { ...query, kind: 'pod' })
    }),
  ]
}

function isShown(
  { access }: Actor,
  labels: Readonly<Record<string, string>>,
  { kind, name, namespace }: { kind: string; name: string; namespace: string },
): boolean {
  return access.kubernetes(labels).admits({ verb: 'list', apiGroup: '', resource: `${kind}s` }, { name, namespace })
}

function asAppError(error: unknown): unknown {
  if (error instanceof ApiRefusal)
    return new AppError(error.status === 404 ? 'not_found' : 'access_denied', error.message, { cause: error })
  if (error instanceof ApiUnreachable) return connectionProblem(error.message, { cause: error })
  return error
}

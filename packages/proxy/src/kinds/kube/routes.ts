/** What runs in a cluster, for who looks for a pod in a browser. */
import { kubernetesResources } from '@sallyport/wire/calls/kubernetes.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import { z } from 'zod'
import { actorAt } from '../../core/access/assumed.ts'
import type { Actor } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { AppError, connectionProblem } from '../../core/errors.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { findCluster } from './entry.ts'
import type { EntryDeps } from './entry.ts'
import { identityOf, impersonate } from './impersonation.ts'
import { fetchJson } from './fetch-json.ts'
import { ApiRefusal, ApiUnreachable } from './status.ts'

export interface KubeRoutesDeps extends Pick<EntryDeps, 'clusters'> {
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

export function kubeRoutes({ cluster, clusters }: KubeRoutesDeps): Route[] {
  return [
    on(kubernetesResources, async ({ params, query, caller: given, signal }) => {
      requireOwnCluster(cluster, params.clusterId)
      const { kind, kubeCluster: name, kubeNamespace: namespace = '', kubeUser, search = '' } = query
      const caller = actorAt(given, 'kube_cluster', name)
      const target = findCluster({ clusters }, name, caller)
      const identity = identityOf(caller.access, target.labels, caller.username, { user: kubeUser || undefined })
      const path =
        kind === 'namespace'
          ? '/api/v1/namespaces'
          : namespace === ''
            ? '/api/v1/pods'
            : `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`
      const list = await fetchJson(clusters.apiOf(target), `${path}?limit=${shownLimit}`, impersonate(identity), signal)
        .then((json) => listForm.parse(json))
        .catch((error: unknown) => {
          throw asAppError(error)
        })
      const words = search.toLowerCase().split(' ').filter(Boolean)
      const items = (list.items ?? [])
        .map(({ metadata, spec }) => ({
          kind,
          name: metadata.name,
          namespace: metadata.namespace,
          labels: toLabels(metadata.labels ?? {}),
          cluster: name,
          ...(kind === 'pod' && { containers: (spec?.containers ?? []).map((container) => container.name) }),
        }))
        .filter((item) => isShown(caller, target.labels, item))
        .filter((item) => words.every((word) => `${item.name} ${item.namespace}`.toLowerCase().includes(word)))
      return { items, startKey: '', totalCount: items.length }
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

/** What becomes of a request: whether roles and the rules of this proxy let it through, and how much of the answer is shown. */
import type { AccessChecker } from '../../core/access/checker.ts'
import type { KubernetesAct } from '../../core/access/kubernetes-access.ts'
import type { Labels } from '../../core/access/match.ts'
import { accessDenied } from '../../core/errors.ts'
import type { ApiRequest, ApiResource } from './api-request.ts'
import type { Shows } from './filter-list.ts'

export interface Passage {
  /** Given when items have to be left out. */
  readonly shows?: Shows
}

/** A question about oneself, which everybody may ask. */
const isAboutSelf = ({ apiGroup, resource }: ApiResource): boolean =>
  ['authorization.k8s.io', 'authentication.k8s.io'].includes(apiGroup) && resource.startsWith('self')

const refused = ({ verb, resource }: ApiRequest, { namespace, name }: ApiResource): Error => {
  const what = `${resource?.resource ?? ''}${name === '' ? '' : ` ${JSON.stringify(name)}`}`
  return accessDenied(
    `your roles (kubernetes_resources) do not allow ${verb} on ${what}${namespace === '' ? '' : ` in the namespace ${JSON.stringify(namespace)}`}`,
  )
}

/** Throws access denied. */
export function decide(access: AccessChecker, labels: Labels, request: ApiRequest): Passage {
  const { resource, verb } = request
  // Discovery, health and versions tell nothing of what runs; the cluster decides about them.
  if (!resource || isAboutSelf(resource)) return {}
  // Behind it is the kubelet, which runs commands that nobody records.
  if (resource.resource === 'nodes' && resource.subresource.split('/')[0] === 'proxy')
    throw accessDenied('the proxy of nodes is closed: commands in pods go through kubectl exec, where they are recorded')
  const rules = access.kubernetes(labels)
  const act: KubernetesAct = { verb, apiGroup: resource.apiGroup, resource: resource.resource }
  if (resource.name !== '') {
    if (!rules.admits(act, resource)) throw refused(request, resource)
    return {}
  }
  const share = rules.shareOf(act, resource.namespace)
  if (share === 'all') return {}
  // What is made has no name yet, and what is removed together cannot be told apart.
  if (share === 'none' || (verb !== 'list' && verb !== 'watch')) throw refused(request, resource)
  return { shows: (place) => rules.admits(act, place) }
}

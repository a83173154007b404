/** Which Kubernetes resources a role of each version may name. */
import type { KubernetesResource } from './role-conditions.ts'

/** v7; those without a namespace are apart. */
const namespacedKinds = [
  'pod',
  'secret',
  'configmap',
  'service',
  'serviceaccount',
  'persistentvolumeclaim',
  'deployment',
  'replicaset',
  'statefulset',
  'daemonset',
  'kube_role',
  'rolebinding',
  'cronjob',
  'job',
  'ingress',
]
const clusterKinds = ['namespace', 'kube_node', 'persistentvolume', 'clusterrole', 'clusterrolebinding', 'certificatesigningrequest']
/** v8: names as the API spells them, in the plural. */
const pluralKind = /^(?:\*|[a-z][a-z0-9.-]*)$/

export function whyNotKubernetesResource(version: string, { kind, namespace, api_group: group }: KubernetesResource): string | undefined {
  if (version !== 'v8' && group !== undefined) return `api_group needs role version v8`
  if (version === 'v8') return pluralKind.test(kind) ? undefined : `"${kind}" is no kind of the Kubernetes API such as pods`
  const known = version === 'v7' ? ['*', ...namespacedKinds, ...clusterKinds] : ['pod']
  if (!known.includes(kind)) return `the kind "${kind}" is not supported in role version ${version}; it is one of ${known.join(', ')}`
  return namespace === '' && !clusterKinds.includes(kind) ? 'a namespace is missing' : undefined
}

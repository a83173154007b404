/** Which Kubernetes resources a role of each version may name. */
import type { KubernetesResource } from './role-conditions.ts'

/** v7, with their names in the paths of the API; those without a namespace are apart. */
const namespacedKinds: Readonly<Record<string, string>> = {
  pod: 'pods',
  secret: 'secrets',
  configmap: 'configmaps',
  service: 'services',
  serviceaccount: 'serviceaccounts',
  persistentvolumeclaim: 'persistentvolumeclaims',
  deployment: 'deployments',
  replicaset: 'replicasets',
  statefulset: 'statefulsets',
  daemonset: 'daemonsets',
  kube_role: 'roles',
  rolebinding: 'rolebindings',
  cronjob: 'cronjobs',
  job: 'jobs',
  ingress: 'ingresses',
}
const clusterKinds: Readonly<Record<string, string>> = {
  namespace: 'namespaces',
  kube_node: 'nodes',
  persistentvolume: 'persistentvolumes',
  clusterrole: 'clusterroles',
  clusterrolebinding: 'clusterrolebindings',
  certificatesigningrequest: 'certificatesigningrequests',
}

/** As paths of the API spell a kind of roles before v8. */
export const pluralOf = (kind: string): string => namespacedKinds[kind] ?? clusterKinds[kind] ?? kind

/** Whether it lies in no namespace, in the words of roles of any version. */
export const isClusterKind = (kind: string): boolean => Object.hasOwn(clusterKinds, kind) || clusterPlurals.has(kind)
const clusterPlurals = new Set(Object.values(clusterKinds))

/** v8: names as the API spells them, in the plural. */
const pluralKind = /^(?:\*|[a-z][a-z0-9.-]*)$/

export function whyNotKubernetesResource(version: string, { kind, namespace, api_group: group }: KubernetesResource): string | undefined {
  if (version !== 'v8' && group !== undefined) return `api_group needs role version v8`
  if (version === 'v8') return pluralKind.test(kind) ? undefined : `"${kind}" is no kind of the Kubernetes API such as pods`
  const known = version === 'v7' ? ['*', ...Object.keys(namespacedKinds), ...Object.keys(clusterKinds)] : ['pod']
  if (!known.includes(kind)) return `the kind "${kind}" is not supported in role version ${version}; it is one of ${known.join(', ')}`
  return namespace === '' && !isClusterKind(kind) ? 'a namespace is missing' : undefined
}

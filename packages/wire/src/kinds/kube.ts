/** The kube kind: Kubernetes clusters. The wire spells it differently per place. */
export const kube = {
  id: 'kube',
  title: 'Kubernetes cluster',
  titles: 'Kubernetes',
  resourceKind: 'kube_cluster',
  listCall: 'kubernetes.list',
  sessionKind: 'k8s',
  recordingType: 'k8s',
} as const

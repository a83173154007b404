/** Requests to Kubernetes clusters, and the clusters as resources. Sessions in pods are told as those of shells. */
import { auditSentence, defineAudit } from './event.ts'

const group = 'Kubernetes'

export const kubernetesAudit = defineAudit({
  T3009I: auditSentence(
    group,
    'kube.request',
    'Kubernetes request',
    '{user}: {verb} {request_path} on {kubernetes_cluster} gave {response_code}',
  ),
  T3010I: auditSentence(group, 'kube.create', 'Kubernetes cluster added', '{user} added Kubernetes cluster {name}'),
  T3011I: auditSentence(group, 'kube.update', 'Kubernetes cluster changed', '{user} changed Kubernetes cluster {name}'),
  T3012I: auditSentence(group, 'kube.delete', 'Kubernetes cluster removed', '{user} removed Kubernetes cluster {name}'),
})

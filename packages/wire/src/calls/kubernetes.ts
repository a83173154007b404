/** Kubernetes clusters, and what runs in them. */
import * as z from 'zod/mini'
import { call, rule } from '../call.ts'
import { kubeClusterWire, kubeResourceWire } from '../entities/kube-cluster.ts'
import { listQueryWire, pageOf } from '../entities/list.ts'
import { clusterParams } from './clusters.ts'

const name = z.string().check(z.maxLength(255))
const allow = rule('kube_server', 'list', 'read')

/** Sortable by name. */
export const kubernetes = call({
  id: 'kubernetes.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/kubernetes',
  allow,
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(kubeClusterWire),
})
const ofCluster = z.extend(listQueryWire, {
  kubeCluster: z.string({ error: 'missing kubeCluster' }).check(z.minLength(1, 'missing kubeCluster'), z.maxLength(255)),
  /** Empty for all. */
  kubeNamespace: z.optional(name),
  /** Ours: who to come as, where the roles allow several users. */
  kubeUser: z.optional(name),
})
/** Pods or namespaces of one cluster, as far as the caller's roles and the cluster show them. Sortable by name. */
export const kubernetesResources = call({
  id: 'kubernetes.resources',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/kubernetes/resources',
  allow,
  params: clusterParams,
  query: z.extend(ofCluster, { kind: z._default(z.enum(['pod', 'namespace']), 'pod') }),
  out: pageOf(kubeResourceWire),
})
/** As older consoles ask for pods. */
export const kubernetesPods = call({
  id: 'kubernetes.pods',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/pods',
  allow,
  params: clusterParams,
  query: ofCluster,
  out: pageOf(kubeResourceWire),
})

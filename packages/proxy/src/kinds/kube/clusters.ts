/** The clusters that are known here, and HTTP to each. */
import type { Labels } from '../../core/access/match.ts'
import type { ApiClient } from './api-client.ts'

export interface KubeCluster {
  readonly name: string
  readonly labels: Labels
  /** The host whose agent reaches it. */
  readonly via?: string | undefined
}

export interface KubeClusters {
  find(name: string): KubeCluster | undefined
  all(): Iterable<KubeCluster>
  /** Throws not found when it is gone meanwhile. */
  apiOf(cluster: KubeCluster): ApiClient
}

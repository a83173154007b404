/** The own cluster, and how a path may name it. */
import { notFound } from '../errors.ts'

export interface OwnCluster {
  readonly name: string
  /** `https://host:port`, without a path. */
  readonly publicUrl: string
  readonly version: string
}

/** What a path may say instead of the own cluster's name. */
export const currentCluster = '-current-'

/** Throws not found for every cluster but the own one. */
export function requireOwnCluster(cluster: OwnCluster, clusterId: string): void {
  if (clusterId !== cluster.name && clusterId !== currentCluster) throw notFound(`cluster "${clusterId}" is not found`)
}

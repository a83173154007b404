/** The clusters of documents and agents, each with one HTTP client for as long as it stays the same. */
import type { MasterKey } from '../../core/authorities/master-key.ts'
import { notFound } from '../../core/errors.ts'
import type { Served } from '../../core/served/served.ts'
import { createApiClient } from './api-client.ts'
import type { ApiClient } from './api-client.ts'
import type { KubeCluster, KubeClusters } from './clusters.ts'
import { openCredentials } from './kube-cluster.ts'
import type { KubeClusterItem } from './kube-cluster.ts'

type Clusters = Pick<Served<KubeClusterItem, never, never>, 'registry' | 'dial'>

const toCluster = ({ id, labels, via }: KubeClusterItem): KubeCluster => ({ name: id, labels, via })
const addressOf = ({ uri, via, credentials }: KubeClusterItem): string => JSON.stringify([uri, via, credentials])

export function openKubeClusters({ registry, dial }: Clusters, masterKey: MasterKey): KubeClusters & Disposable {
  const clients = new Map<string, { address: string; client: ApiClient }>()
  function clientOf(item: KubeClusterItem): ApiClient {
    const address = addressOf(item)
    const known = clients.get(item.id)
    if (known?.address === address) return known.client
    known?.client[Symbol.dispose]()
    const credentials = item.credentials === undefined ? undefined : openCredentials(masterKey, item.credentials)
    const client = createApiClient({ dial: (signal) => dial(item, signal), credentials })
    clients.set(item.id, { address, client })
    return client
  }
  return {
    find(name) {
      const item = registry.get(name)
      return item && toCluster(item)
    },
    all: () => registry.items().map(toCluster),
    apiOf({ name }) {
      const item = registry.get(name)
      if (!item) throw notFound(`kubernetes cluster "${name}" is not found`)
      return clientOf(item)
    },
    [Symbol.dispose]() {
      for (const { client } of clients.values()) client[Symbol.dispose]()
    },
  }
}

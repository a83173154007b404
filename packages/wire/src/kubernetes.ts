/** Where kubectl finds the clusters: on the port of the console, over a TLS of its own that this name asks for. */
import * as z from 'zod/mini'
import { listOf } from './call.ts'

/** As a client says it when it opens TLS. Nothing else answers to it, so that a browser never meets the certificate. */
export const kubeServerName = 'kubernetes.sallyport.internal'
/** The name of a cluster follows, then the path at its API. Alone it lists the clusters. */
export const kubePath = '/v1/kube'

export const kubeListWire = z.object({
  items: listOf(
    z.object({ name: z.string(), labels: z.record(z.string(), z.string()), users: listOf(z.string()), groups: listOf(z.string()) }),
  ),
})

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

/** A container that a shell is opened in. */
export interface PodPlace {
  readonly cluster: string
  readonly namespace: string
  readonly pod: string
  /** Empty for the one that the cluster chooses. */
  readonly container: string
  readonly command: string
}

const placePrefix = 'kube'
export const podShell = '/bin/sh'

/** In the place of a server's id, in addresses of the console and in the metadata of sessions: no server is called like that. */
export const podPlace = ({ cluster, namespace, pod, container, command }: PodPlace): string =>
  [placePrefix, cluster, namespace, pod, container, command === podShell ? '' : command].join(':')

/** Undefined for the id or the name of a server. */
export function readPodPlace(place: string): PodPlace | undefined {
  const [prefix, cluster = '', namespace = '', pod = '', container = '', ...rest] = place.split(':')
  if (prefix !== placePrefix || cluster === '' || namespace === '' || pod === '') return undefined
  return { cluster, namespace, pod, container, command: rest.join(':') || podShell }
}

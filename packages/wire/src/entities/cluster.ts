import * as z from 'zod/mini'
import { wireDate } from './wire-date.ts'

export const clusterWire = z.object({
  name: z.string(),
  lastConnected: z._default(z.string(), ''),
  status: z._default(z.string(), 'online'),
  nodeCount: z._default(z.number(), 0),
  publicURL: z._default(z.string(), ''),
  authVersion: z._default(z.string(), ''),
  proxyVersion: z._default(z.string(), ''),
})
export type ClusterWire = z.output<typeof clusterWire>

export interface Cluster {
  clusterId: string
  lastConnected: string
  /** `lastConnected` in the viewer's date format; empty when unknown. */
  connectedText: string
  status: string
  url: string
  authVersion: string
  nodeCount: number
  publicURL: string
  proxyVersion: string
}

export function toCluster({ name, ...rest }: ClusterWire, formatDate: (date: Date) => string): Cluster {
  const connected = wireDate(rest.lastConnected)
  return {
    clusterId: name,
    connectedText: connected ? formatDate(connected) : '',
    url: `/web/cluster/${encodeURIComponent(name)}/`,
    ...rest,
  }
}

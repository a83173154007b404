/** What the cluster tells everybody, or those who may do something about it. */
import * as z from 'zod/mini'

export const alertLabels = {
  /** `yes`: it is shown at all. */
  onLogin: 'teleport.internal/alert-on-login',
  /** `yes`: to everybody. */
  permitAll: 'teleport.internal/alert-permit-all',
  /** `kind:verb|kind:verb`: to those whose rules allow one of these. */
  verbPermit: 'teleport.internal/alert-verb-permit',
  /** Names of alerts, with commas, that this one stands for when it is as severe. */
  supersedes: 'teleport.internal/alert-supersedes',
  /** HTTPS address that says more. */
  link: 'teleport.internal/link',
} as const

export const alertSeverities = { low: 0, medium: 5, high: 10 } as const

export const clusterAlertWire = z.object({
  kind: z._default(z.string(), 'cluster_alert'),
  version: z._default(z.string(), 'v1'),
  metadata: z.object({ name: z.string(), labels: z._default(z.record(z.string(), z.string()), {}), expires: z.optional(z.string()) }),
  spec: z.object({ severity: z.number(), message: z.string(), created: z._default(z.string(), '') }),
})
export type ClusterAlertWire = z.output<typeof clusterAlertWire>

export type AlertTone = 'info' | 'warn' | 'danger'

export interface ClusterAlert {
  name: string
  message: string
  severity: number
  tone: AlertTone
  /** Undefined without one, and for anything but HTTPS. */
  link: string | undefined
}

export const toClusterAlert = ({ metadata: { name, labels }, spec: { message, severity } }: ClusterAlertWire): ClusterAlert => ({
  name,
  message,
  severity,
  tone: severity < alertSeverities.medium ? 'info' : severity < alertSeverities.high ? 'warn' : 'danger',
  link: URL.parse(labels[alertLabels.link] ?? '')?.protocol === 'https:' ? labels[alertLabels.link] : undefined,
})

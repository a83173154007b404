/** Alerts of the cluster as documents, and who sees which. */
import { resourceKinds, verbs } from '@sallyport/wire/acl.ts'
import { alertLabels, alertSeverities } from '@sallyport/wire/entities/cluster-alert.ts'
import { z } from 'zod'
import type { AccessChecker } from '../access/checker.ts'
import type { Resource, ResourceKind, ResourceStore } from '../resources/resources.ts'

const maxMessage = 1024
const alertSpec = z.strictObject({
  severity: z.union([
    z.int().min(0).max(100),
    z.enum(['low', 'medium', 'high'], { error: 'use low, medium, high or a number' }).transform((name) => alertSeverities[name]),
  ]),
  message: z
    .string()
    .min(1)
    .max(maxMessage)
    .refine((text) => !/[\n\r]/.test(text), { message: 'write it on one line' }),
  created: z.iso.datetime({ offset: true }).optional(),
})
type AlertSpec = z.output<typeof alertSpec>
type AlertSpecInput = z.input<typeof alertSpec>
export type ClusterAlert = Resource<AlertSpec>
export type ClusterAlertStore = ResourceStore<AlertSpec, AlertSpecInput>

export const clusterAlertKind: ResourceKind<AlertSpec, AlertSpecInput> = {
  kind: 'cluster_alert',
  versions: ['v1'],
  spec: () => alertSpec,
  existsText: (name) => `cluster alert "${name}" already exists`,
  missingText: (name) => `cluster alert "${name}" is not found`,
}

const labelOf = ({ metadata: { labels } }: ClusterAlert, label: string): string => labels[label] ?? ''
const wordsOf = (alert: ClusterAlert, label: string, separator: string): string[] =>
  labelOf(alert, label)
    .split(separator)
    .map((word) => word.trim())

function isFor(alert: ClusterAlert, access: Pick<AccessChecker, 'allows'>): boolean {
  if (labelOf(alert, alertLabels.onLogin) !== 'yes') return false
  if (labelOf(alert, alertLabels.permitAll) === 'yes') return true
  return wordsOf(alert, alertLabels.verbPermit, '|').some((permit) => {
    const [kindWord, verbWord] = permit.split(':')
    const kind = resourceKinds.find((known) => known === kindWord)
    const verb = verbs.find((known) => known === verbWord)
    return kind !== undefined && verb !== undefined && access.allows(kind, verb)
  })
}

/** Those that somebody is told, worst first, without what another of them stands for. */
export function alertsFor(alerts: readonly ClusterAlert[], access: Pick<AccessChecker, 'allows'>): ClusterAlert[] {
  const told = alerts.filter((alert) => isFor(alert, access))
  const isSuperseded = ({ metadata: { name }, spec: { severity } }: ClusterAlert): boolean =>
    told.some(
      (other) =>
        other.metadata.name !== name && other.spec.severity >= severity && wordsOf(other, alertLabels.supersedes, ',').includes(name),
    )
  return told.filter((alert) => !isSuperseded(alert)).toSorted((a, b) => b.spec.severity - a.spec.severity)
}

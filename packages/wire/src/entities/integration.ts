/** Integrations: accounts elsewhere that trust this cluster. Plugins stand in the same table. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { databaseWire } from './database.ts'

const text = z._default(z.string(), '')

/** An account at Amazon that trusts the cluster's signed tokens. */
export const awsOidc = 'aws-oidc'

export const integrationWire = z.object({
  name: z.string(),
  subKind: text,
  awsoidc: z.nullish(z.object({ roleArn: text })),
})
export type IntegrationWire = z.output<typeof integrationWire>

export interface Integration {
  name: string
  subKind: string
  /** Of those at Amazon. */
  roleArn: string | undefined
}

export const toIntegration = ({ name, subKind, awsoidc }: IntegrationWire): Integration => ({
  name,
  subKind,
  roleArn: awsoidc?.roleArn || undefined,
})

const noPage = { items: [], nextKey: '' }
export const integrationPageWire = z.pipe(
  z.nullish(z.object({ items: listOf(integrationWire), nextKey: text })),
  z.transform((page) => page ?? noPage),
)

export const pluginWire = z.object({
  name: z.string(),
  /** `slack`, `okta` and so on. */
  kind: text,
  statusCode: z._default(z.number(), 0),
  details: text,
})
export type PluginWire = z.output<typeof pluginWire>

export type StatusTone = 'ok' | 'off' | 'warn' | 'danger'
export interface IntegrationStatus {
  tone: StatusTone
  word: string
  description: string
}

/** What plugins have for a status. */
export const pluginStatus = { unknown: 0, running: 1, error: 2, unauthorized: 3, notInChannel: 10 } as const
export type PluginStatus = (typeof pluginStatus)[keyof typeof pluginStatus]

const unknownStatus: IntegrationStatus = { tone: 'off', word: 'Unknown', description: 'The proxy does not tell how it is.' }
const statuses: Readonly<Record<number, IntegrationStatus>> = {
  1: { tone: 'ok', word: 'Running', description: 'It is set up.' },
  2: { tone: 'danger', word: 'Error', description: 'It failed. Its details tell why.' },
  3: {
    tone: 'danger',
    word: 'Unauthorized',
    description: 'The other side refuses it. Give it a token or password that counts, in its settings.',
  },
  10: { tone: 'warn', word: 'Not in channel', description: 'The bot has not been invited to its channel. Invite it there.' },
}
export const statusOf = (code: number): IntegrationStatus => statuses[code] ?? unknownStatus

/** A row of the one table. */
export interface IntegrationRow {
  resourceType: 'integration' | 'plugin'
  name: string
  /** `aws-oidc`, `slack` and so on. */
  kind: string
  details: string
  statusCode: number
}

export const rowOfIntegration = ({ name, subKind, roleArn = '' }: Integration): IntegrationRow => ({
  resourceType: 'integration',
  name,
  kind: subKind,
  details: roleArn,
  statusCode: 1,
})
export const rowOfPlugin = (plugin: PluginWire): IntegrationRow => ({ resourceType: 'plugin', ...plugin })

/** What is measured of enrolling one, by sub-kind, or kind of plugin. */
export const enrollEventKinds = {
  [awsOidc]: 'INTEGRATION_ENROLL_KIND_AWS_OIDC',
  slack: 'INTEGRATION_ENROLL_KIND_SLACK',
  mattermost: 'INTEGRATION_ENROLL_KIND_MATTERMOST',
  email: 'INTEGRATION_ENROLL_KIND_EMAIL',
} as const

const roleName = String.raw`[\w+=,.@-]{1,64}`
export const iamRoleNamePattern = new RegExp(`^${roleName}$`)
/** `arn:aws:iam::123456789012:role/path/name` */
export const awsRoleArnPattern = new RegExp(String.raw`^arn:aws(?:-[a-z]+){0,3}:iam::(\d{12}):role/((?:[\w+=,.@-]+/){0,16})(${roleName})$`)
/** It becomes part of a host name. */
export const awsRegionPattern = /^[a-z]{2,5}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/

/** Engines of databases at Amazon, by how they run. */
export const rdsEngines = {
  instance: ['mysql', 'mariadb', 'postgres'],
  cluster: ['aurora', 'aurora-mysql', 'aurora-postgresql'],
} as const
export type RdsType = keyof typeof rdsEngines

export const awsDatabasesWire = z.object({ databases: listOf(databaseWire), nextToken: text })

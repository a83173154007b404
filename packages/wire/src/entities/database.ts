/** Databases and the agents that serve them. */
import * as z from 'zod/mini'
import { listOf } from '../call.ts'
import { labelWire } from './label.ts'
import type { Label } from './label.ts'

const text = z._default(z.string(), '')

/** Of databases that Amazon hosts. Peers may know more of them. */
const awsWire = z.looseObject({
  region: text,
  account_id: text,
  rds: z.optional(z.looseObject({ instance_id: text, cluster_id: text, resource_id: text, iam_auth: z._default(z.boolean(), false) })),
  redshift: z.optional(z.looseObject({ cluster_id: text })),
  status: z.optional(z.string()),
})

export const databaseWire = z.object({
  name: z.string(),
  desc: text,
  protocol: text,
  /** Who hosts it: `self-hosted`, `rds`, and so on. */
  type: text,
  labels: listOf(labelWire),
  hostname: text,
  uri: text,
  /** Users and names that the caller may use on it; absent when there are none. May hold `*`. */
  database_users: z.nullish(z.array(z.string())),
  database_names: z.nullish(z.array(z.string())),
  aws: z.nullish(awsWire),
  /** Whether the proxy opens it in the browser. */
  supports_interactive: z.optional(z.boolean()),
  /** True for one that is only shown because of the roles that the caller searches as: access has to be asked for. */
  requiresRequest: z.optional(z.boolean()),
})
export type DatabaseWire = z.output<typeof databaseWire>

export interface Database {
  name: string
  description: string
  /** Title of who hosts it and what it speaks. */
  type: string
  protocol: string
  labels: Label[]
  names: string[]
  users: string[]
  hostname: string
  aws: { rds: { resourceId: string } } | undefined
  /** Whether it opens in the browser. */
  isInteractive: boolean
  /** It is only shown because of the roles that the viewer searches as: access has to be asked for. */
  requiresRequest?: true
}

export const toDatabase = (wire: DatabaseWire): Database => ({
  name: wire.name,
  description: wire.desc,
  type: databaseTitle(wire.type, wire.protocol),
  protocol: wire.protocol,
  labels: wire.labels,
  names: wire.database_names ?? [],
  users: wire.database_users ?? [],
  hostname: wire.hostname,
  aws: wire.aws?.rds && { rds: { resourceId: wire.aws.rds.resource_id } },
  isInteractive: wire.supports_interactive ?? false,
  ...(wire.requiresRequest && { requiresRequest: true as const }),
})

const protocolTitles: Readonly<Record<string, string>> = {
  postgres: 'PostgreSQL',
  mysql: 'MySQL/MariaDB',
  mongodb: 'MongoDB',
  sqlserver: 'SQL Server',
  redis: 'Redis',
  oracle: 'Oracle',
  cockroachdb: 'CockroachDB',
  cassandra: 'Cassandra',
  elasticsearch: 'Elasticsearch',
  opensearch: 'OpenSearch',
  dynamodb: 'DynamoDB',
  snowflake: 'Snowflake',
  clickhouse: 'ClickHouse',
}
/** Before the title of the protocol. */
const hostings: Readonly<Record<string, string>> = {
  'self-hosted': 'Self-hosted',
  gcp: 'Cloud SQL',
  azure: 'Azure',
  rds: 'Amazon RDS',
  rdsproxy: 'Amazon RDS Proxy',
}
/** Whose title says it all. */
const products: Readonly<Record<string, string>> = {
  redshift: 'Amazon Redshift',
  'redshift-serverless': 'Amazon Redshift Serverless',
  elasticache: 'Amazon ElastiCache',
  memorydb: 'Amazon MemoryDB',
  keyspace: 'Amazon Keyspaces',
  dynamodb: 'Amazon DynamoDB',
  opensearch: 'Amazon OpenSearch',
}

/** `Self-hosted PostgreSQL`. What is not known stays as it is spelled. */
export function databaseTitle(type: string, protocol: string): string {
  const speaks = protocolTitles[protocol] ?? protocol
  if (protocol === 'snowflake') return speaks
  return products[type] ?? `${hostings[type] ?? type} ${speaks}`.trim()
}

/** `placeholders`: parts of the document that somebody has to fill in, as they stand in it. */
export const databaseIamPolicyWire = z.object({
  type: z.string(),
  aws: z.object({
    /** JSON. */
    policy_document: z.string(),
    placeholders: z.optional(z.array(z.string())),
  }),
})
export type DatabaseIamPolicyWire = z.output<typeof databaseIamPolicyWire>

const matcherValues = z.union([z.string(), z.array(z.string())])
export const databaseServiceWire = z.object({
  name: z.string(),
  resource_matchers: listOf(z.object({ labels: z.nullish(z.record(z.string(), matcherValues)) })),
})
export type DatabaseServiceWire = z.output<typeof databaseServiceWire>

export interface DatabaseService {
  name: string
  /** Values by label, of all its matchers together. */
  matcherLabels: Record<string, string[]>
}

export function toDatabaseService({ name, resource_matchers: matchers }: DatabaseServiceWire): DatabaseService {
  const merged = new Map<string, Set<string>>()
  for (const { labels } of matchers)
    for (const [label, values] of Object.entries(labels ?? {})) {
      const known = merged.get(label) ?? new Set()
      for (const value of typeof values === 'string' ? [values] : values) known.add(value)
      merged.set(label, known)
    }
  return { name, matcherLabels: Object.fromEntries([...merged].map(([label, values]) => [label, [...values]])) }
}

/** Databases: their documents, what agents announce of them, and how both are listed. */
import { X509Certificate } from 'node:crypto'
import { databaseTitle } from '@sallyport/wire/entities/database.ts'
import { dialTargetOf } from '@sallyport/wire/tunnel.ts'
import { z } from 'zod'
import { badParameter } from '../errors.ts'
import type { InventoryKind } from '../inventory/entry.ts'
import type { Resource, ResourceInput, ResourceKind } from '../resources/resources.ts'
import type { Served, ServedKind } from '../served/served.ts'

/** As the product family knows them; some of them are only listed. */
const protocols = [
  'postgres',
  'mysql',
  'mongodb',
  'cockroachdb',
  'redis',
  'snowflake',
  'sqlserver',
  'cassandra',
  'elasticsearch',
  'opensearch',
  'dynamodb',
  'oracle',
  'clickhouse',
] as const

const text = z.string().max(1024)

/** Why a text is not one certificate in PEM; undefined when it is. */
export function whyNotCertificate(pem: string): string | undefined {
  if (pem.split('-----BEGIN ').length !== 2) return 'write one certificate in PEM'
  try {
    const { raw } = new X509Certificate(pem)
    return raw.length > 0 ? undefined : 'that is no certificate'
  } catch (error) {
    return `that is no certificate: ${error instanceof Error ? error.message : String(error)}`
  }
}
const certificate = z
  .string()
  .max(64 * 1024)
  .superRefine((pem, context) => {
    const message = whyNotCertificate(pem)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

/** Databases that Amazon hosts. */
const aws = z.strictObject({
  region: text.optional(),
  account_id: text.optional(),
  rds: z
    .strictObject({
      instance_id: text.optional(),
      cluster_id: text.optional(),
      resource_id: text.optional(),
      iam_auth: z.boolean().optional(),
    })
    .optional(),
})

const specSchema = z.strictObject({
  protocol: z.enum(protocols, { error: `use one of ${protocols.join(', ')}` }),
  uri: text.refine((uri) => dialTargetOf(uri) !== undefined, { message: 'write it as host:port, such as 10.0.0.5:5432' }),
  /** Who signed the server; the database authority of this cluster when absent. */
  ca_cert: certificate.optional(),
  tls: z
    .strictObject({
      /** `verify-ca` passes over the name, `insecure` believes whoever answers. */
      mode: z.enum(['verify-full', 'verify-ca', 'insecure']).default('verify-full'),
      /** Under which the server is certified, when that is not the host of the address. */
      server_name: z.string().min(1).max(255).optional(),
    })
    .optional(),
  aws: aws.optional(),
})
export type DatabaseSpec = z.output<typeof specSchema>
export type DatabaseSpecInput = z.input<typeof specSchema>
export type DatabaseInput = ResourceInput<DatabaseSpecInput>

const itemSchema = z.object({
  id: z.string(),
  description: text.default(''),
  labels: z.record(z.string().min(1).max(255), text).default({}),
  /** Id of the host whose agent reaches it. */
  via: z.string().optional(),
  uri: text,
  spec: specSchema,
})
export type DatabaseItem = Readonly<z.output<typeof itemSchema>>
type ItemInput = z.input<typeof itemSchema>

export type Databases = Served<DatabaseItem, DatabaseSpec, DatabaseSpecInput>

/** Who hosts it. */
export const hostingOf = ({ aws }: Pick<DatabaseSpec, 'aws'>): string => (aws ? 'rds' : 'self-hosted')
/** Of an address, without scheme and port. */
export const hostOf = (uri: string): string => (dialTargetOf(uri) ?? '').replace(/:\d+$/, '').replaceAll(/[[\]]/g, '')

const openedProtocols = ['postgres', 'mysql'] as const
export type OpenedProtocol = (typeof openedProtocols)[number]
/** What the proxy speaks with it, so that it opens in the browser and for native clients; undefined for one that is only listed. */
export const openedProtocolOf = ({ spec }: Pick<DatabaseItem, 'spec'>): OpenedProtocol | undefined =>
  spec.aws === undefined ? openedProtocols.find((protocol) => protocol === spec.protocol) : undefined

type SortField = 'name' | 'description' | 'type'

const inventory: InventoryKind<DatabaseItem, ItemInput, SortField> = {
  kind: 'db',
  version: 'v3',
  schema: itemSchema,
  nameOf: ({ id }) => id,
  textsOf: ({ id, description, spec }) => [id, description, spec.protocol, hostingOf(spec)],
  sortFields: { name: 'name', description: 'description', type: 'type' },
  standardSort: 'name',
  sortValue: ({ id, description, spec }, field) =>
    field === 'name' ? id : field === 'description' ? description : databaseTitle(hostingOf(spec), spec.protocol),
  specOf: ({ spec }) => spec,
}

const documents: ResourceKind<DatabaseSpec, DatabaseSpecInput> = {
  kind: 'db',
  versions: ['v3'],
  spec: () => specSchema,
  whyNotName: (name) =>
    /^[A-Za-z0-9]([A-Za-z0-9._-]{0,253}[A-Za-z0-9])?$/.test(name) ? undefined : 'metadata.name: use letters, digits, dots and dashes',
  existsText: (name) => `database "${name}" already exists`,
  missingText: (name) => `database "${name}" not found`,
}

export const databaseKind: ServedKind<DatabaseItem, ItemInput, SortField, DatabaseSpec, DatabaseSpecInput> = {
  kind: 'db',
  inventory,
  documents,
  itemOf: ({ metadata: { name, description, labels }, spec }: Resource<DatabaseSpec>) => ({
    id: name,
    description: description ?? '',
    labels,
    uri: spec.uri,
    spec,
  }),
  announcedItem({ name, description, labels, uri, spec }, via) {
    const parsed = specSchema.safeParse({ ...spec, uri })
    if (!parsed.success) throw badParameter(`database "${name}": ${z.prettifyError(parsed.error)}`)
    return { id: name, description, labels, uri, via, spec: parsed.data }
  },
  codes: { created: 'TDB03I', updated: 'TDB04I', deleted: 'TDB05I' },
  auditFields: ({ metadata, spec }) => ({ db_protocol: spec.protocol, db_uri: spec.uri, db_labels: metadata.labels }),
}

/** Databases: what there is, what an administrator says about them, and certificates for their servers. */
import * as z from 'zod/mini'
import { call, rule } from '../call.ts'
import { databaseIamPolicyWire, databaseServiceWire, databaseWire } from '../entities/database.ts'
import { labelWire } from '../entities/label.ts'
import { listQueryWire, pageOf } from '../entities/list.ts'
import { clusterParams } from './clusters.ts'

const text = z.string().check(z.maxLength(1024))
const given = (missing: string) => z.string({ error: missing }).check(z.minLength(1, missing), z.maxLength(1024))
const databaseParams = z.extend(clusterParams, { database: z.string().check(z.maxLength(255)) })
const labels = z.nullish(z.array(labelWire).check(z.maxLength(1000)))
const awsRds = z.nullish(z.object({ accountId: z.nullish(text), resourceId: z.nullish(text) }))

/** Sortable by name, description, type. */
export const databases = call({
  id: 'databases.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/databases',
  allow: rule('db_server', 'list', 'read'),
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(databaseWire),
})
export const databaseServices = call({
  id: 'databases.services',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/databaseservices',
  allow: rule('db_service', 'list', 'read'),
  params: clusterParams,
  query: listQueryWire,
  out: pageOf(databaseServiceWire),
})
/** 404 when nothing serves it. */
export const database = call({
  id: 'databases.read',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/databases/{database}',
  allow: rule('db_server', 'list', 'read'),
  params: databaseParams,
  out: databaseWire,
})

/** Of databases that Amazon hosts; 400 for others. */
export const databaseIamPolicy = call({
  id: 'databases.iamPolicy',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/databases/{database}/iam/policy',
  allow: rule('db_server', 'list', 'read'),
  params: databaseParams,
  out: databaseIamPolicyWire,
})

const newDatabase = z.object({
  name: given('missing database name'),
  labels,
  protocol: given('missing protocol'),
  uri: given('missing uri'),
  awsRds,
})
/** The caller's roles must allow the labels that it gets. */
export const createDatabase = call({
  id: 'databases.create',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/databases',
  allow: rule('db', 'create'),
  params: clusterParams,
  body: newDatabase,
  out: databaseWire,
})
/** The same; the name in the path must be the one in the body. */
export const createNamedDatabase = call({
  id: 'databases.createNamed',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/databases/{database}',
  allow: rule('db', 'create'),
  params: databaseParams,
  body: newDatabase,
  out: databaseWire,
})
/** What is left out keeps its value; so do labels that are an empty list. */
export const updateDatabase = call({
  id: 'databases.update',
  method: 'PUT',
  path: '/v1/webapi/sites/{clusterId}/databases/{database}',
  allow: rule('db', 'read', 'update'),
  params: databaseParams,
  body: z.object({
    /** One certificate in PEM. */
    caCert: z.nullish(z.string().check(z.maxLength(64 * 1024))),
    labels,
    uri: z.nullish(text),
    awsRds,
  }),
  out: databaseWire,
})

/** Judged after the token, which is used up whatever comes with it. */
const signRequest = z.object({ hostname: z.optional(z.unknown()), ttl: z.optional(z.unknown()) })
/**
 * A key and a certificate for the server of a database, as an archive. No session: the bearer is a join token with the role
 * Db, and is removed by the call. The name of the cluster is passed over.
 */
export const signDatabase = call({
  id: 'databases.sign',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/sign/db',
  allow: 'public',
  limit: 'low',
  params: clusterParams,
  body: signRequest,
  answer: 'raw',
})
export const bareSignDatabase = call({
  id: 'databases.bareSign',
  method: 'POST',
  path: '/v1/webapi/sign/db',
  allow: 'public',
  limit: 'low',
  body: signRequest,
  answer: 'raw',
})

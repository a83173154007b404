/** Databases: lists, and what administrators say about them. */
import * as calls from '@sallyport/wire/calls/databases.ts'
import type { BodyOf } from '@sallyport/wire/call.ts'
import type { DatabaseWire } from '@sallyport/wire/entities/database.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'
import { accessTo, requestedOf } from '../../core/access/assumed.ts'
import type { AccessService } from '../../core/access/access.ts'
import type { AccessChecker } from '../../core/access/checker.ts'
import type { Labels } from '../../core/access/match.ts'
import { searchChecker } from '../../core/access/search-as-roles.ts'
import { viewerFor } from '../../core/access/viewer-for.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import type { DatabaseAgents } from '../../core/databases/database-agents.ts'
import { hostingOf, hostOf, openedProtocolOf, whyNotCertificate } from '../../core/databases/database.ts'
import type { DatabaseInput, DatabaseItem, Databases } from '../../core/databases/database.ts'
import { accessDenied, alreadyExists, AppError, badParameter, notFound } from '../../core/errors.ts'
import type { Viewer } from '../../core/inventory/entry-index.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import { iamPolicyOf } from './iam-policy.ts'
import { pageOfServices } from './services.ts'
import { toSpec } from './spec.ts'

export interface DatabasesAreaDeps {
  cluster: OwnCluster
  databases: Databases
  agents: Pick<DatabaseAgents, 'list'>
  access: AccessService
  audit: Pick<Audit, 'emit'>
}

const viewerOf = (access: AccessChecker): Viewer => viewerFor(access, 'db')

/** Users and names are those of the caller's own roles, however the database was found. */
function toWire(item: DatabaseItem, access: AccessChecker): DatabaseWire {
  const users = access.principals('db', item.labels, 'db_users')
  const names = access.principals('db', item.labels, 'db_names')
  return {
    ...toPlainWire(item),
    ...(users.length > 0 && { database_users: users }),
    ...(names.length > 0 && { database_names: names }),
    ...(!access.canSee('db', item.labels) && { requiresRequest: true }),
  }
}

function toPlainWire({ id, description, uri, labels, spec }: DatabaseItem): DatabaseWire {
  const { aws } = spec
  return {
    name: id,
    desc: description,
    protocol: spec.protocol,
    type: hostingOf(spec),
    labels: toLabels(labels),
    hostname: hostOf(uri),
    uri,
    supports_interactive: openedProtocolOf({ spec }) !== undefined,
    ...(aws && {
      aws: {
        region: aws.region ?? '',
        account_id: aws.account_id ?? '',
        rds: {
          instance_id: aws.rds?.instance_id ?? '',
          cluster_id: aws.rds?.cluster_id ?? '',
          resource_id: aws.rds?.resource_id ?? '',
          iam_auth: aws.rds?.iam_auth ?? false,
        },
      },
    }),
  }
}

export function databasesRoutes({ cluster, databases, agents, access: service, audit }: DatabasesAreaDeps): Route[] {
  /** What else is shown to somebody who asks for it; that they look is in the audit log before they see it. */
  async function searching(caller: Caller): Promise<AccessChecker | undefined> {
    const wider = await searchChecker(service, caller)
    if (wider) await audit.emit('T5004I', { user: caller.username, resource_type: 'db', search_as_roles: [...caller.access.searchAsRoles] })
    return wider
  }
  function require(name: string, access: AccessChecker): DatabaseItem {
    const item = databases.registry.get(name)
    if (!item || !access.canSee('db', item.labels)) throw notFound(`database "${name}" not found`)
    return item
  }
  const requireLabels = (access: AccessChecker, labels: Labels): void => {
    if (!access.canSee('db', labels)) throw accessDenied('access to db denied: no role of yours allows a database with these labels')
  }
  async function save(input: DatabaseInput, caller: Caller, how: 'create' | 'update'): Promise<DatabaseItem> {
    const { metadata } = await databases.put(input, caller.username, how)
    return databases.registry.get(metadata.name) ?? require(metadata.name, caller.access)
  }
  async function create(body: BodyOf<typeof calls.createDatabase>, caller: Caller): Promise<DatabaseWire> {
    const { name, labels, protocol, uri, awsRds } = body
    const metadata = { name, labels: toRecord(labels) }
    requireLabels(caller.access, metadata.labels)
    try {
      return toWire(await save({ metadata, spec: toSpec({ protocol, uri, awsRds }) }, caller, 'create'), caller.access)
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'already_exists')) throw error
      throw alreadyExists(`failed to create database ("${name}" already exists), please use another name`, { cause: error })
    }
  }
  async function update(
    name: string,
    { caCert, labels, uri, awsRds }: BodyOf<typeof calls.updateDatabase>,
    caller: Caller,
  ): Promise<DatabaseWire> {
    // An empty list of labels is given, an empty text is not.
    if (!caCert && !labels && !uri && !awsRds)
      throw badParameter('missing fields to update the database: give caCert, labels, uri or awsRds')
    const why = typeof caCert === 'string' ? whyNotCertificate(caCert) : undefined
    if (why !== undefined) throw badParameter(`caCert: ${why}`)
    const item = require(name, caller.access)
    if (item.via !== undefined) throw badParameter(`database "${name}" is announced by an agent: change the agent.json of its host`)
    const { metadata, spec } = await databases.documents.require(name)
    const next = labels && labels.length > 0 ? toRecord(labels) : metadata.labels
    requireLabels(caller.access, next)
    const changed = { ...spec, ...toSpec({ uri: uri || undefined, awsRds }), ...(caCert && { ca_cert: caCert }) }
    return toPlainWire(await save({ metadata: { ...metadata, labels: next }, spec: changed }, caller, 'update'))
  }
  return [
    on(calls.databases, async ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const wider = query.searchAsRoles === 'yes' ? await searching(caller) : undefined
      const page = databases.registry.list(query, [
        viewerOf(caller.access),
        ...requestedOf(caller, 'db'),
        ...(wider ? [viewerOf(wider)] : []),
      ])
      return { ...page, items: page.items.map((item) => toWire(item, accessTo(caller, 'db', item.id))) }
    }),
    on(calls.databaseServices, ({ params, query, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return pageOfServices({ registry: databases.registry, agents: agents.list(), access: caller.access }, query)
    }),
    on(calls.database, ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      const access = accessTo(caller, 'db', params.database)
      return toWire(require(params.database, access), access)
    }),
    on(calls.databaseIamPolicy, ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return iamPolicyOf(require(params.database, accessTo(caller, 'db', params.database)))
    }),
    on(calls.createDatabase, ({ params, body, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return create(body, caller)
    }),
    on(calls.createNamedDatabase, ({ params, body, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      if (params.database !== body.name) throw badParameter(`the path names the database "${params.database}", the body "${body.name}"`)
      return create(body, caller)
    }),
    on(calls.updateDatabase, ({ params, body, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      return update(params.database, body, caller)
    }),
  ]
}

const toRecord = (labels: readonly { name: string; value: string }[] | null | undefined): Record<string, string> =>
  Object.fromEntries((labels ?? []).map(({ name, value }) => [name, value]))

/** Integrations, and how other parties learn by which keys the cluster's tokens for them are signed. */
import * as z from 'zod/mini'
import { call, okMessage, rule } from '../call.ts'
import { awsDatabasesWire, awsRegionPattern, integrationPageWire, integrationWire, rdsEngines } from '../entities/integration.ts'
import { listQueryWire } from '../entities/list.ts'
import { clusterParams } from './clusters.ts'

const name = z.string().check(z.maxLength(255))
const given = (missing: string) => z.string({ error: missing }).check(z.minLength(1, missing), z.maxLength(2048))
const integrationParams = z.extend(clusterParams, { name })
const missingRoleArn = 'missing awsoidc.roleArn field'
const awsoidc = z.object({ roleArn: given(missingRoleArn) }, { error: missingRoleArn })

export const list = call({
  id: 'integrations.list',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/integrations',
  allow: rule('integration', 'list', 'read'),
  params: clusterParams,
  query: z.object({ limit: listQueryWire.shape.limit, startKey: listQueryWire.shape.startKey }),
  out: integrationPageWire,
})
export const create = call({
  id: 'integrations.create',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/integrations',
  allow: rule('integration', 'create'),
  params: clusterParams,
  body: z.object({
    name: given('missing integration name'),
    subKind: given('missing subKind'),
    /** Of those at Amazon; the sub-kind is looked at first. */
    awsoidc: z.nullish(z.object({ roleArn: z.nullish(z.string().check(z.maxLength(2048))) })),
  }),
  out: integrationWire,
})
export const read = call({
  id: 'integrations.read',
  method: 'GET',
  path: '/v1/webapi/sites/{clusterId}/integrations/{name}',
  allow: rule('integration', 'read'),
  params: integrationParams,
  out: integrationWire,
})
export const update = call({
  id: 'integrations.update',
  method: 'PUT',
  path: '/v1/webapi/sites/{clusterId}/integrations/{name}',
  allow: rule('integration', 'update'),
  params: integrationParams,
  /** Of what kind it is cannot be changed. */
  body: z.object({ subKind: z.nullish(z.string().check(z.maxLength(255))), awsoidc }),
  out: integrationWire,
})
export const remove = call({
  id: 'integrations.remove',
  method: 'DELETE',
  path: '/v1/webapi/sites/{clusterId}/integrations/{name}',
  allow: rule('integration', 'delete'),
  params: integrationParams,
  out: okMessage,
})

const region = z.string({ error: 'missing region' }).check(z.regex(awsRegionPattern, 'region: write it as AWS does, such as us-east-1'))
const engines = [...rdsEngines.instance, ...rdsEngines.cluster]

/** Databases of an account at Amazon, page by page. */
export const awsDatabases = call({
  id: 'integrations.awsDatabases',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/integrations/aws-oidc/{name}/databases',
  allow: rule('integration', 'use'),
  params: integrationParams,
  body: z.object({
    rdsType: z.enum(['instance', 'cluster'], { error: 'rdsType: use instance or cluster' }),
    engines: z
      .array(z.enum(engines, { error: `engines: use ${engines.join(', ')}` }), { error: 'missing engines' })
      .check(z.minLength(1, 'missing engines'), z.maxLength(engines.length)),
    region,
    nextToken: z._default(z.string().check(z.maxLength(4096)), ''),
  }),
  out: awsDatabasesWire,
})
/** Whether Amazon lets the cluster in, and as whom. `roleArn` may be given when it is the one that is stored. */
export const awsPing = call({
  id: 'integrations.awsPing',
  method: 'POST',
  path: '/v1/webapi/sites/{clusterId}/integrations/aws-oidc/{name}/ping',
  allow: rule('integration', 'use'),
  params: integrationParams,
  body: z.object({ roleArn: z.nullish(z.string().check(z.maxLength(2048))) }),
  out: z.object({ accountId: z.string(), arn: z.string(), userId: z.string() }),
})

/** OpenID Connect Discovery, for whoever is to trust tokens of this cluster. */
export const openidConfiguration = call({
  id: 'integrations.openidConfiguration',
  method: 'GET',
  path: '/.well-known/openid-configuration',
  allow: 'public',
  limit: 'high',
  out: z.object({
    issuer: z.string(),
    jwks_uri: z.string(),
    claims: z.array(z.string()),
    id_token_signing_alg_values_supported: z.array(z.string()),
    response_types_supported: z.array(z.string()),
    scopes_supported: z.array(z.string()),
    subject_types_supported: z.array(z.string()),
  }),
})
export const oidcKeysPath = '/.well-known/jwks-oidc'
export const oidcKeys = call({
  id: 'integrations.oidcKeys',
  method: 'GET',
  path: oidcKeysPath,
  allow: 'public',
  limit: 'high',
  out: z.object({
    keys: z.array(z.object({ kty: z.string(), n: z.string(), e: z.string(), alg: z.string(), use: z.string(), kid: z.string() })),
  }),
})
/** A shell script that has an account at Amazon trust the cluster; for parameters that are not good one that says so and fails. */
export const configureAwsOidc = call({
  id: 'integrations.configureAwsOidc',
  method: 'GET',
  path: '/v1/webapi/scripts/integrations/configure/awsoidc-idp.sh',
  allow: 'public',
  limit: 'high',
  query: z.object({
    integrationName: z._default(z.string().check(z.maxLength(255)), ''),
    role: z._default(z.string().check(z.maxLength(255)), ''),
  }),
  answer: 'raw',
})

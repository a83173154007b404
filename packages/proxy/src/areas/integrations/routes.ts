/** Integrations: the list, changes, what they are used for, and by which keys others know this cluster. */
import * as calls from '@sallyport/wire/calls/integrations.ts'
import { ok } from '@sallyport/wire/call.ts'
import type { IntegrationWire } from '@sallyport/wire/entities/integration.ts'
import { awsOidc, awsRoleArnPattern } from '@sallyport/wire/entities/integration.ts'
import type { Audit } from '../../core/audit/audit.ts'
import type { JwtSigner } from '../../core/authorities/jwt-signer.ts'
import type { Caller } from '../../core/caller.ts'
import { requireOwnCluster } from '../../core/cluster/cluster.ts'
import type { OwnCluster } from '../../core/cluster/cluster.ts'
import { badParameter } from '../../core/errors.ts'
import type { Aws, AwsRole } from '../../core/integrations/aws.ts'
import { notRoleArn } from '../../core/integrations/integration.ts'
import type { Integration } from '../../core/integrations/integration.ts'
import type { Integrations } from '../../core/integrations/integrations.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'
import type { Site } from '../../core/site.ts'

export interface IntegrationsAreaDeps {
  cluster: OwnCluster
  integrations: Integrations
  aws: Aws
  signer: Pick<JwtSigner, 'keys'>
  site: Pick<Site, 'origin'>
  audit: Pick<Audit, 'emit'>
}

const toWire = ({ metadata: { name }, spec }: Integration): IntegrationWire => ({
  name,
  subKind: awsOidc,
  awsoidc: { roleArn: spec.aws_oidc.role_arn },
})

/** Throws bad parameter. */
function specOf(roleArn: string | null | undefined): Integration['spec'] {
  if (!roleArn) throw badParameter('missing awsoidc.roleArn field')
  if (!awsRoleArnPattern.test(roleArn)) throw badParameter(`awsoidc.roleArn: ${notRoleArn}`)
  return { aws_oidc: { role_arn: roleArn } }
}

export function integrationsRoutes({ cluster, integrations, aws, signer, site, audit }: IntegrationsAreaDeps): Route[] {
  const use = (role: AwsRole, action: string, caller: Caller, region?: string): Promise<unknown> =>
    audit.emit('IG004I', {
      user: caller.username,
      name: role.name,
      sub_kind: awsOidc,
      role_arn: role.roleArn,
      action,
      ...(region !== undefined && { region }),
    })
  const roleOf = async (name: string, { username }: Caller): Promise<AwsRole> => ({
    roleArn: (await integrations.require(name)).spec.aws_oidc.role_arn,
    user: username,
    name,
  })
  return [
    on(calls.list, async ({ params, query: { limit, startKey = '' } }) => {
      requireOwnCluster(cluster, params.clusterId)
      const all = (await integrations.list()).filter(({ metadata }) => metadata.name > startKey)
      const page = all.slice(0, limit)
      return { items: page.map(toWire), nextKey: page.length < all.length ? (page.at(-1)?.metadata.name ?? '') : '' }
    }),
    on(calls.create, async ({ params, body: { name, subKind, awsoidc }, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      if (subKind !== awsOidc) throw badParameter(`subKind "${subKind}" is not supported; use ${awsOidc}`)
      return toWire(await integrations.create({ metadata: { name }, spec: specOf(awsoidc?.roleArn) }, caller.username))
    }),
    on(calls.read, async ({ params }) => {
      requireOwnCluster(cluster, params.clusterId)
      return toWire(await integrations.require(params.name))
    }),
    on(calls.update, async ({ params, body: { subKind, awsoidc }, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      if (subKind && subKind !== awsOidc) throw badParameter(`subKind: "${params.name}" stays ${awsOidc}; delete it and make another one`)
      const spec = specOf(awsoidc.roleArn)
      const { metadata } = await integrations.require(params.name)
      return toWire(await integrations.update({ metadata: { ...metadata }, spec }, caller.username))
    }),
    on(calls.remove, async ({ params, caller }) => {
      requireOwnCluster(cluster, params.clusterId)
      await integrations.remove(params.name, caller.username)
      return ok
    }),
    on(calls.awsDatabases, async ({ params, body, caller, signal }) => {
      requireOwnCluster(cluster, params.clusterId)
      const role = await roleOf(params.name, caller)
      await use(role, 'listing databases', caller, body.region)
      return aws.databases(role, body, signal)
    }),
    on(calls.awsPing, async ({ params, body: { roleArn }, caller, signal }) => {
      requireOwnCluster(cluster, params.clusterId)
      const role = await roleOf(params.name, caller)
      // Who may use a role may not try out others.
      if (roleArn && roleArn !== role.roleArn) throw badParameter('roleArn: the integration has another role; change it first')
      await use(role, 'a check', caller)
      return aws.identity(role, signal)
    }),
    on(calls.openidConfiguration, () => ({
      issuer: site.origin,
      jwks_uri: `${site.origin}${calls.oidcKeysPath}`,
      claims: ['iss', 'sub', 'obo', 'aud', 'jti', 'iat', 'exp', 'nbf'],
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['id_token'],
      scopes_supported: ['openid'],
      subject_types_supported: ['public', 'pair-wise'],
    })),
    on(calls.oidcKeys, async () => ({ keys: await signer.keys() })),
  ]
}

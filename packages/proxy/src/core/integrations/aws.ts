/**
 * Accounts at Amazon, as a role that trusts this cluster. The libraries are large, so they are loaded with the first use. Their
 * standard variables count: AWS_ENDPOINT_URL_STS and AWS_ENDPOINT_URL_RDS name other addresses. Credentials of this machine
 * are never used.
 */
import type { RdsType } from '@sallyport/wire/entities/integration.ts'
import type { DatabaseWire } from '@sallyport/wire/entities/database.ts'
import { connectionProblem } from '../errors.ts'
import type { Site } from '../site.ts'
import { refusedList, refusedRole } from './aws-error.ts'
import type { IdTokens } from './id-tokens.ts'
import { clusterDatabase, instanceDatabase } from './rds-databases.ts'

export interface AwsRole {
  roleArn: string
  /** In whose name. */
  user: string
  /** Of the integration: Amazon's log names it. */
  name: string
}

export interface RdsRequest {
  rdsType: RdsType
  engines: readonly string[]
  region: string
  nextToken: string
}

export interface AwsIdentity {
  accountId: string
  arn: string
  userId: string
}

export interface Aws {
  /** Throws access denied, bad parameter, connection problem, limit exceeded. */
  databases(role: AwsRole, request: RdsRequest, signal: AbortSignal): Promise<{ databases: DatabaseWire[]; nextToken: string }>
  /** As whom Amazon lets the cluster in. Throws the same. */
  identity(role: AwsRole, signal: AbortSignal): Promise<AwsIdentity>
}

const common = { maxAttempts: 2, requestHandler: { connectionTimeout: 5000, requestTimeout: 15_000 } }
/** Seconds: the least that Amazon gives. */
const credentialsLifetime = 900
const pageSize = 50

/** Where a role is asked for when no region is given: each partition has a home. */
function homeRegion(roleArn: string): string {
  const partition = roleArn.split(':')[1]
  return partition === 'aws-cn' ? 'cn-north-1' : partition === 'aws-us-gov' ? 'us-gov-west-1' : 'us-east-1'
}

export function createAws({ tokens, site }: { tokens: IdTokens; site: Pick<Site, 'origin'> }): Aws {
  async function assume({ roleArn, user, name }: AwsRole, region: string, abortSignal: AbortSignal) {
    const { AssumeRoleWithWebIdentityCommand, STSClient } = await import('@aws-sdk/client-sts')
    const WebIdentityToken = await tokens.issue(user)
    const client = new STSClient({ ...common, region })
    const command = new AssumeRoleWithWebIdentityCommand({
      RoleArn: roleArn,
      RoleSessionName: `sallyport-${name}`.slice(0, 64),
      WebIdentityToken,
      DurationSeconds: credentialsLifetime,
    })
    const answer = await client
      .send(command, { abortSignal })
      .catch((error: unknown) => {
        throw refusedRole(error, { roleArn, issuer: site.origin })
      })
      .finally(() => client.destroy())
    const { AccessKeyId, SecretAccessKey, SessionToken } = answer.Credentials ?? {}
    if (AccessKeyId === undefined || SecretAccessKey === undefined || SessionToken === undefined)
      throw connectionProblem('AWS answered without credentials; try again')
    return {
      credentials: { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken: SessionToken },
      as: { arn: answer.AssumedRoleUser?.Arn ?? roleArn, userId: answer.AssumedRoleUser?.AssumedRoleId ?? '' },
    }
  }

  return {
    async databases(role, { rdsType, engines, region, nextToken }, abortSignal) {
      const { credentials } = await assume(role, region, abortSignal)
      const { DescribeDBClustersCommand, DescribeDBInstancesCommand, RDSClient } = await import('@aws-sdk/client-rds')
      const client = new RDSClient({ ...common, region, credentials })
      const input = {
        Filters: [{ Name: 'engine', Values: [...engines] }],
        MaxRecords: pageSize,
        ...(nextToken !== '' && { Marker: nextToken }),
      }
      try {
        if (rdsType === 'instance') {
          const { DBInstances = [], Marker = '' } = await client.send(new DescribeDBInstancesCommand(input), { abortSignal })
          return { databases: DBInstances.flatMap((instance) => instanceDatabase(instance, region) ?? []), nextToken: Marker }
        }
        const { DBClusters = [], Marker = '' } = await client.send(new DescribeDBClustersCommand(input), { abortSignal })
        return { databases: DBClusters.flatMap((cluster) => clusterDatabase(cluster, region) ?? []), nextToken: Marker }
      } catch (error) {
        throw refusedList(error, role)
      } finally {
        client.destroy()
      }
    },
    async identity(role, signal) {
      const { as } = await assume(role, homeRegion(role.roleArn), signal)
      return { accountId: as.arn.split(':')[4] ?? '', ...as }
    },
  }
}

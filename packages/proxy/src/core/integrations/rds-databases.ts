/** Databases as Amazon describes them, as this product does. */
import type { DBCluster, DBInstance, Tag } from '@aws-sdk/client-rds'
import type { DatabaseWire } from '@sallyport/wire/entities/database.ts'
import { toLabels } from '@sallyport/wire/entities/label.ts'

interface Described {
  name: string | undefined
  arn: string | undefined
  host: string | undefined
  port: number | undefined
  engine: string | undefined
  version: string | undefined
  status: string | undefined
  vpc: string | undefined
  tags: readonly Tag[] | undefined
  region: string
  rds: { instance_id: string; cluster_id: string; resource_id: string; iam_auth: boolean }
}

const protocolOf = (engine: string): string => (engine.includes('postgres') ? 'postgres' : 'mysql')

/** Undefined for what cannot be reached: it has no address yet. */
function toWire({
  name,
  arn = '',
  host,
  port,
  engine = '',
  version,
  status = '',
  vpc,
  tags = [],
  region,
  rds,
}: Described): DatabaseWire | undefined {
  if (name === undefined || host === undefined || port === undefined) return undefined
  const account = arn.split(':')[4] ?? ''
  const own = {
    'account-id': account,
    engine,
    'engine-version': version,
    region,
    status,
    'vpc-id': vpc,
    'teleport.dev/cloud': 'AWS',
  }
  const known = Object.entries(own).flatMap(([key, value]) => (value ? [[key, value] as const] : []))
  const tagged = tags.flatMap(({ Key, Value = '' }) => (Key === undefined ? [] : [[Key, Value] as const]))
  return {
    name,
    desc: `RDS ${rds.cluster_id === '' ? 'instance' : 'cluster'} in ${region}`,
    protocol: protocolOf(engine),
    type: 'rds',
    // What Amazon says of it counts, whatever a tag of the same name says.
    labels: toLabels(Object.fromEntries([...tagged, ...known])),
    hostname: host,
    uri: `${host}:${port}`,
    aws: { region, account_id: account, rds, status },
  }
}

export const instanceDatabase = (instance: DBInstance, region: string): DatabaseWire | undefined =>
  toWire({
    name: instance.DBInstanceIdentifier,
    arn: instance.DBInstanceArn,
    host: instance.Endpoint?.Address,
    port: instance.Endpoint?.Port,
    engine: instance.Engine,
    version: instance.EngineVersion,
    status: instance.DBInstanceStatus,
    vpc: instance.DBSubnetGroup?.VpcId,
    tags: instance.TagList,
    region,
    rds: {
      instance_id: instance.DBInstanceIdentifier ?? '',
      cluster_id: '',
      resource_id: instance.DbiResourceId ?? '',
      iam_auth: instance.IAMDatabaseAuthenticationEnabled ?? false,
    },
  })

export const clusterDatabase = (cluster: DBCluster, region: string): DatabaseWire | undefined =>
  toWire({
    name: cluster.DBClusterIdentifier,
    arn: cluster.DBClusterArn,
    host: cluster.Endpoint,
    port: cluster.Port,
    engine: cluster.Engine,
    version: cluster.EngineVersion,
    status: cluster.Status,
    vpc: undefined,
    tags: cluster.TagList,
    region,
    rds: {
      instance_id: '',
      cluster_id: cluster.DBClusterIdentifier ?? '',
      resource_id: cluster.DbClusterResourceId ?? '',
      iam_auth: cluster.IAMDatabaseAuthenticationEnabled ?? false,
    },
  })

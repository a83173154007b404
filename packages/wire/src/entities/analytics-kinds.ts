/** What consoles name in their reports of use: the kind of what is enrolled, how a step ended, and which lock somebody met. */

const databaseEngines = [
  'POSTGRES_SELF_HOSTED',
  'MYSQL_SELF_HOSTED',
  'MONGODB_SELF_HOSTED',
  'COCKROACHDB_SELF_HOSTED',
  'REDIS_SELF_HOSTED',
  'REDIS_CLUSTER_SELF_HOSTED',
  'SQLSERVER_SELF_HOSTED',
  'POSTGRES_RDS',
  'MYSQL_RDS',
  'SQLSERVER_RDS',
  'POSTGRES_REDSHIFT',
  'POSTGRES_REDSHIFT_SERVERLESS',
  'POSTGRES_GCP',
  'MYSQL_GCP',
  'SQLSERVER_GCP',
  'POSTGRES_AZURE',
  'MYSQL_AZURE',
  'SQLSERVER_AZURE',
  'DYNAMODB',
] as const

const resourceKinds = [
  'SERVER',
  'KUBERNETES',
  'KUBERNETES_EKS',
  'EC2_INSTANCE',
  'APPLICATION_HTTP',
  'APPLICATION_TCP',
  'APPLICATION_AWS_CONSOLE',
  'WINDOWS_DESKTOP',
  'SAML_APPLICATION',
] as const

type Prefixed<Prefix extends string, Name extends string> = `${Prefix}${Name}`
const prefixed = <Prefix extends string, Name extends string>(prefix: Prefix, names: readonly Name[]): readonly Prefixed<Prefix, Name>[] =>
  names.map((name) => `${prefix}${name}` as const)

export const discoverResources = [
  ...prefixed('DISCOVER_RESOURCE_', resourceKinds),
  ...prefixed('DISCOVER_RESOURCE_DATABASE_', databaseEngines),
]
export type DiscoverResource = (typeof discoverResources)[number]

export type DiscoverStatus = Prefixed<'DISCOVER_STATUS_', 'SUCCESS' | 'SKIPPED' | 'ERROR' | 'ABORTED'>

/** Data of `tp.ui.callToAction.click`: what the viewer would have liked to have. */
export const callToActions = {
  unspecified: 0,
  authConnectors: 1,
  activeSessions: 2,
  accessRequests: 3,
  premiumSupport: 4,
  trustedDevices: 5,
  upgradeBanner: 6,
} as const
/** What usage-based billing locks. */
export type LockedFeature = Exclude<keyof typeof callToActions, 'unspecified' | 'upgradeBanner'>

/** What an account at Amazon has, and what is run there. */
import { awsRoleArnPattern } from '@sallyport/wire/entities/integration.ts'
import type { RdsType } from '@sallyport/wire/entities/integration.ts'
import { configureAwsOidc } from '@sallyport/wire/calls/integrations.ts'
import { callSearch } from '@sallyport/wire/call.ts'
import type { Problem } from '../../parts/validators/problem.ts'

export const accountOf = (arn: string): string => awsRoleArnPattern.exec(arn)?.[1] ?? ''

/** Why AWS cannot trust a cluster at this address: it reads the keys there. */
export function whyNotIssuer(origin: string): Problem {
  const { protocol, port } = new URL(origin)
  return protocol === 'https:' && port === ''
    ? undefined
    : 'AWS reads the public keys of the cluster at a public https address on port 443.'
}

/** Run in the account that is to trust the cluster. Both names are checked: nothing in them means anything to a shell. */
export const configureCommand = (origin: string, integrationName: string, role: string): string =>
  `bash -c "$(curl -fsSL '${origin}${configureAwsOidc.path}${callSearch({ integrationName, role })}')"`

export const engineChoices = {
  postgres: { label: 'RDS PostgreSQL', rdsType: 'instance', engines: ['postgres'] },
  mysql: { label: 'RDS MySQL, MariaDB', rdsType: 'instance', engines: ['mysql', 'mariadb'] },
  'aurora-postgresql': { label: 'Aurora PostgreSQL', rdsType: 'cluster', engines: ['aurora-postgresql'] },
  'aurora-mysql': { label: 'Aurora MySQL', rdsType: 'cluster', engines: ['aurora', 'aurora-mysql'] },
} as const satisfies Record<string, { label: string; rdsType: RdsType; engines: readonly string[] }>
export type Engine = keyof typeof engineChoices

/** To choose from; others can be typed. */
export const regions: readonly string[] = [
  'us-east-1',
  'us-east-2',
  'us-west-1',
  'us-west-2',
  'af-south-1',
  'ap-east-1',
  'ap-northeast-1',
  'ap-northeast-2',
  'ap-northeast-3',
  'ap-south-1',
  'ap-south-2',
  'ap-southeast-1',
  'ap-southeast-2',
  'ap-southeast-3',
  'ap-southeast-4',
  'ca-central-1',
  'ca-west-1',
  'eu-central-1',
  'eu-central-2',
  'eu-north-1',
  'eu-south-1',
  'eu-south-2',
  'eu-west-1',
  'eu-west-2',
  'eu-west-3',
  'il-central-1',
  'me-central-1',
  'me-south-1',
  'sa-east-1',
]

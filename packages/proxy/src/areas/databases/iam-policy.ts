/** What an Amazon account has to allow, so that people of this cluster may sign in to a database with its identities. */
import type { DatabaseIamPolicyWire } from '@sallyport/wire/entities/database.ts'
import type { DatabaseItem } from '../../core/databases/database.ts'
import { badParameter } from '../../core/errors.ts'

/** Regions say which of Amazon's separate worlds they are in. */
function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn'
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
}

/** What is not known stays a placeholder in the policy. Throws bad parameter for databases that Amazon does not host. */
export function iamPolicyOf({ id, spec: { aws } }: Pick<DatabaseItem, 'id' | 'spec'>): DatabaseIamPolicyWire {
  if (!aws) throw badParameter(`database "${id}" is not hosted by Amazon: it has no IAM policy`)
  const { region = '', account_id: account, rds } = aws
  const parts = {
    partition: region && partitionOf(region),
    region,
    account_id: account,
    resource_id: rds?.resource_id,
  }
  const placeholders = Object.keys(parts)
    .filter((name) => !parts[name as keyof typeof parts])
    .map((name) => `{${name}}`)
  const word = (name: keyof typeof parts): string => parts[name] || `{${name}}`
  const resource = `arn:${word('partition')}:rds-db:${word('region')}:${word('account_id')}:dbuser:${word('resource_id')}/*`
  const policy = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: 'rds-db:connect', Resource: resource }] }
  return { type: 'aws', aws: { policy_document: JSON.stringify(policy, undefined, 2), ...(placeholders.length > 0 && { placeholders }) } }
}

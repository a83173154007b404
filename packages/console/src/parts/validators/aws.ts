/** What belongs to an account at Amazon. */
import { awsRegionPattern, awsRoleArnPattern, iamRoleNamePattern } from '@sallyport/wire/entities/integration.ts'
import type { Problem } from './problem.ts'

export function integrationName(name: string, taken: ReadonlySet<string>): Problem {
  if (!/^[a-z0-9](?:[a-z0-9-]{1,61})[a-z0-9]$/.test(name)) return 'Use 3-63 lowercase letters, digits, dashes'
  return taken.has(name) ? 'An integration with this name exists' : undefined
}

export const iamRoleName = (role: string): Problem =>
  iamRoleNamePattern.test(role) ? undefined : 'Use 1-64 letters, digits or + = , . @ _ -'

const notThatRole = 'This is not the ARN of that role'

/** With `role` it has to be the ARN of that one. */
export function awsRoleArn(arn: string, role?: string): Problem {
  const found = awsRoleArnPattern.exec(arn.trim())
  if (role !== undefined) return found?.[3] === role ? undefined : notThatRole
  return found ? undefined : 'Enter a role ARN such as arn:aws:iam::123456789012:role/name'
}

export const awsRegion = (region: string): Problem =>
  awsRegionPattern.test(region.trim()) ? undefined : 'Enter a region, such as us-east-1'

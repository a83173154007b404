/** An integration as a document: an account elsewhere that trusts this cluster. */
import { awsOidc, awsRoleArnPattern } from '@sallyport/wire/entities/integration.ts'
import { z } from 'zod'
import type { Resource, ResourceKind, ResourceStore } from '../resources/resources.ts'

export const notRoleArn = 'write the ARN of an IAM role, such as arn:aws:iam::123456789012:role/sallyport'

const specSchema = z.strictObject({
  aws_oidc: z.strictObject({ role_arn: z.string().max(2048).regex(awsRoleArnPattern, notRoleArn) }),
})
export type IntegrationSpec = z.output<typeof specSchema>
export type Integration = Resource<IntegrationSpec>
export type IntegrationStore = ResourceStore<IntegrationSpec, IntegrationSpec>

export const integrationKind: ResourceKind<IntegrationSpec, IntegrationSpec> = {
  kind: 'integration',
  subKind: awsOidc,
  versions: ['v1'],
  spec: () => specSchema,
  // It becomes part of an address and the name of a session at Amazon.
  whyNotName: (name) =>
    /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/.test(name)
      ? undefined
      : 'metadata.name: use at most 63 letters, digits, dots, underscores and dashes',
  existsText: (name) => `failed to create Integration ("${name}" already exists), please use another name`,
  missingText: (name) => `integration "${name}" doesn't exist`,
}
